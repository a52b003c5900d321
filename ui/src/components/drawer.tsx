// A drawer over the page, a sheet on narrow screens. It is the browser's own dialog: the page behind it cannot be
// reached, and focus returns to where it was.

import { ChevronDown, ChevronUp, X } from "lucide-react";
import { type KeyboardEvent, type ReactNode, useLayoutEffect, useRef } from "react";
import { IconButton } from "./icon-button.js";
import { useStudio } from "../context.js";

interface DrawerProps {
  label: string;
  onClose: () => void;
  /** Goes to the previous and the next item; absent at the ends. */
  onPrevious?: (() => void) | undefined;
  onNext?: (() => void) | undefined;
  children: ReactNode;
}

export function Drawer({ label, onClose, onPrevious, onNext, children }: DrawerProps): ReactNode {
  const { t } = useStudio();
  const dialog = useRef<HTMLDialogElement>(null);
  // A layout effect, so that the dialog opens before its content takes the focus.
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => element?.close();
  }, []);
  const pressed = ({ key, target, ctrlKey, metaKey, altKey }: KeyboardEvent) => {
    // Works only while the drawer has the focus, and the user is not typing.
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
