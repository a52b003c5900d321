// A button that shows only an icon.

import type { ButtonHTMLAttributes, ReactNode } from "react";

interface IconButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, "type" | "className" | "aria-label"> {
  /** The name for people who do not see the icon. */
  label: string;
  /** True to show the name as a tooltip, too. */
  isTitled?: boolean;
}

export function IconButton({ label, isTitled = false, ...others }: IconButtonProps): ReactNode {
  return <button type="button" className="rc-icon" title={isTitled ? label : undefined} aria-label={label} {...others} />;
}
