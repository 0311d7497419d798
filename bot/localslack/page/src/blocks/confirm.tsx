import { type ReactNode, useState } from "react";
import { Dialog } from "../ui/popover";
import { asObj, plain, type Json, type Obj } from "../types";
import { Text } from "./text";

/** Asks before a payload is sent when the element has a `confirm` object; otherwise sends at once. */
export function useConfirm(confirm: Json | undefined): [(send: () => void) => void, ReactNode] {
  const [waiting, setWaiting] = useState<(() => void) | null>(null);
  const object = asObj(confirm);
  const ask = (send: () => void): void => (object ? setWaiting(() => send) : send());
  const close = (): void => setWaiting(null);
  const dialog =
    object && waiting ? (
      <ConfirmDialog
        object={object}
        close={close}
        accept={() => {
          close();
          waiting();
        }}
      />
    ) : null;
  return [ask, dialog];
}

function ConfirmDialog({ object, close, accept }: { object: Obj; close: () => void; accept: () => void }): ReactNode {
  return (
    <Dialog label={plain(object.title)} className="confirm" close={close}>
      <h2>{plain(object.title)}</h2>
      <div className="confirm-text">
        <Text value={object.text} />
      </div>
      <div className="dialog-actions">
        <button type="button" className="btn" onClick={close}>
          {plain(object.deny) || "Cancel"}
        </button>
        <button
          type="button"
          data-autofocus
          className={object.style === "danger" ? "btn btn-danger" : "btn btn-primary"}
          onClick={accept}
        >
          {plain(object.confirm) || "OK"}
        </button>
      </div>
    </Dialog>
  );
}
