import { type ReactNode, useState } from "react";
import { fromWire, toWire } from "../compose";

export function EditBox({ text, save, cancel }: { text: string; save: (text: string) => void; cancel: () => void }): ReactNode {
  const [typed, setTyped] = useState(() => fromWire(text));
  const submit = (): void => {
    if (typed.trim()) save(toWire(typed));
  };
  return (
    <div className="composer edit-box">
      <textarea
        autoFocus
        aria-label="Edit message"
        value={typed}
        rows={Math.min(typed.split("\n").length, 10)}
        onChange={(event) => setTyped(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape") {
            event.stopPropagation();
            cancel();
          }
          if (event.key === "Enter" && !event.shiftKey && !event.nativeEvent.isComposing) {
            event.preventDefault();
            submit();
          }
        }}
      />
      <div className="dialog-actions">
        <button type="button" className="btn" onClick={cancel}>
          Cancel
        </button>
        <button type="button" className="btn btn-primary" disabled={!typed.trim()} onClick={submit}>
          Save
        </button>
      </div>
    </div>
  );
}
