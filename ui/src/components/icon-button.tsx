// A button that shows nothing but an icon.

import type { ButtonHTMLAttributes, ReactNode } from "react";

export interface IconButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, "type" | "className" | "aria-label"> {
  /** Its name for people who do not see the icon. */
  label: string;
  /** The same for those who point at it. */
  isTitled?: boolean;
}

export function IconButton({ label, isTitled = false, ...others }: IconButtonProps): ReactNode {
  return <button type="button" className="rc-icon" title={isTitled ? label : undefined} aria-label={label} {...others} />;
}
