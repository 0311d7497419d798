import type { ReactNode } from "react";
import { Icon, type IconName } from "./icons";

const MARKS: [IconName, string, string, string][] = [
  ["bold", "Bold", "*", "*"],
  ["italic", "Italic", "_", "_"],
  ["strike", "Strikethrough", "~", "~"],
  ["quote", "Quote", "> ", ""],
  ["list", "Bulleted list", "• ", ""],
  ["code", "Code", "`", "`"],
];

/** Buttons that put mrkdwn marks around the selection. */
export function Toolbar({ wrap }: { wrap: (before: string, after: string) => void }): ReactNode {
  return (
    <div className="toolbar" role="toolbar" aria-label="Formatting">
      {MARKS.map(([icon, label, before, after]) => (
        <button key={label} type="button" className="tool" title={label} aria-label={label} tabIndex={-1} onClick={() => wrap(before, after)}>
          <Icon name={icon} />
        </button>
      ))}
    </div>
  );
}
