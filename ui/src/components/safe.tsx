// A part of the page that may fail without affecting the rest.

import { Component, type ReactNode } from "react";
import { useStudio } from "../context.js";
import { visibleText } from "../text.js";

interface BoundaryProps {
  children: ReactNode;
  fallback: (error: Error, again: () => void) => ReactNode;
}

// React reports errors to class components only.
class Boundary extends Component<BoundaryProps, { error?: Error }> {
  override state: { error?: Error } = {};

  static getDerivedStateFromError(error: unknown) {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }

  override render() {
    const { error } = this.state;
    return error ? this.props.fallback(error, () => this.setState({ error: undefined as never })) : this.props.children;
  }
}

interface SafeProps {
  children: ReactNode;
  /** An action that helps besides trying again. */
  reset?: { label: string; do: () => void } | undefined;
}

export function Safe({ children, reset }: SafeProps): ReactNode {
  const { t } = useStudio();
  return (
    <Boundary
      fallback={(error, again) => (
        <div className="rc-error" role="alert">
          <p>{t("page.broken", { message: visibleText(error.message) })}</p>
          <button type="button" className="rc-button" onClick={again}>
            {t("page.again")}
          </button>{" "}
          {reset && (
            <button
              type="button"
              className="rc-button"
              onClick={() => {
                reset.do();
                again();
              }}
            >
              {reset.label}
            </button>
          )}
        </div>
      )}
    >
      {children}
    </Boundary>
  );
}
