// A drawer over the page, a sheet on narrow ones. The browser's own dialog: what is behind it cannot be reached, and focus comes back to where it was.

import { ChevronDown, ChevronUp, X } from "lucide-react";
import { type KeyboardEvent, type ReactNode, useLayoutEffect, useRef } from "react";
import { IconButton } from "./icon-button.js";
import { useStudio } from "../context.js";

export interface DrawerProps {
  label: string;
  onClose: () => void;
  /** To what stands before and after it; absent at the ends. */
  onPrevious?: (() => void) | undefined;
  onNext?: (() => void) | undefined;
  children: ReactNode;
}

export function Drawer({ label, onClose, onPrevious, onNext, children }: DrawerProps): ReactNode {
  const { t } = useStudio();
  const dialog = useRef<HTMLDialogElement>(null);
  // Before what is in it takes the keyboard.
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => element?.close();
  }, []);
  const pressed = ({ key, target, ctrlKey, metaKey, altKey }: KeyboardEvent) => {
    // Only while the drawer has the keyboard, and not where somebody writes.
    if (ctrlKey || metaKey || altKey || (target instanceof HTMLElement && target.matches("input, select, textarea"))) return;
    if (key === "j") onNext?.();
    if (key === "k") onPrevious?.();
  };
  return (
    <dialog
      ref={dialog}
      className="rc-drawer"
      aria-label={label}
      onKeyDown={pressed}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => event.target === dialog.current && onClose()}
    >
      <div className="rc-drawer-inside">
        <div className="rc-drawer-ways">
          {(onPrevious || onNext) && (
            <>
              <IconButton label={t("drawer.previous")} isTitled disabled={!onPrevious} onClick={onPrevious}>
                <ChevronUp size={16} aria-hidden="true" />
              </IconButton>
              <IconButton label={t("drawer.next")} isTitled disabled={!onNext} onClick={onNext}>
                <ChevronDown size={16} aria-hidden="true" />
              </IconButton>
            </>
          )}
          <IconButton label={t("close")} isTitled onClick={onClose}>
            <X size={16} aria-hidden="true" />
          </IconButton>
        </div>
        {children}
      </div>
    </dialog>
  );
}
