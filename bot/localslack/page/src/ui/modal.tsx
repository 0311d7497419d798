import { type ReactNode, useMemo, useState } from "react";
import { ApiError, api } from "../api";
import { Blocks } from "../blocks/blocks";
import { SurfaceContext, SurfaceState } from "../blocks/surface";
import { closeView } from "../session";
import { botName, botUser, store, useApp } from "../store";
import { asObj, asText, plain, type Obj, type View } from "../types";
import { Avatar } from "./avatar";
import { Icon } from "./icons";
import { Dialog } from "./popover";

const MISSING = "Please complete this required field.";

function isEmpty(value: Obj | undefined): boolean {
  if (!value) return true;
  const entries = Object.entries(value).filter(([key]) => key !== "type");
  return entries.every(([, held]) => held === null || held === undefined || held === "" || (Array.isArray(held) && held.length === 0));
}

/** What Slack's client itself refuses: required inputs left empty, and text shorter than asked for. */
function localErrors(view: View, surface: SurfaceState): Record<string, string> {
  const errors: Record<string, string> = {};
  for (const block of view.blocks) {
    const element = asObj(block.element);
    if (block.type !== "input" || !element) continue;
    const blockId = asText(block.block_id);
    const value = surface.get(blockId, asText(element.action_id));
    if (isEmpty(value)) {
      if (block.optional !== true) errors[blockId] = MISSING;
      continue;
    }
    const least = Number(element.min_length ?? 0);
    if (asText(value?.value).length < least && "value" in (value ?? {})) errors[blockId] = `Use at least ${least} characters.`;
  }
  return errors;
}

function ModalView({ view }: { view: View }): ReactNode {
  const [errors, setErrors] = useState<Record<string, string>>({});
  const [failure, setFailure] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const base = useMemo(() => new SurfaceState({ id: view.id, kind: "view" }), [view.id]);
  const surface = useMemo(() => base.withErrors(errors), [base, errors]);
  const close = (): void => void closeView(view.id);
  const submit = async (): Promise<void> => {
    setFailure(null);
    const missing = localErrors(view, base);
    setErrors(missing);
    if (Object.keys(missing).length > 0) return;
    setBusy(true);
    try {
      const answer = await api.submit(store.get().me, view.id, base.values);
      if (answer.errors) setErrors(answer.errors);
      else if (answer.closed) store.set((s) => ({ views: s.views.filter((open) => open.id !== view.id) }));
    } catch (error) {
      setFailure(error instanceof ApiError ? "We had some trouble connecting. Try again?" : "Slack could not reach the app. Try again.");
    } finally {
      setBusy(false);
    }
  };
  const title = plain(view.title) || botName();
  return (
    <Dialog label={title} className="modal" close={close}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (view.submit) void submit();
        }}
      >
        <header>
          <Avatar user={botUser()} size={28} />
          <h2>{title}</h2>
          <button type="button" className="icon-btn" aria-label="Close" onClick={close}>
            <Icon name="close" />
          </button>
        </header>
        <div className="modal-body">
          {failure ? (
            <div className="alert alert-error" role="alert">
              <Icon name="warning" /> {failure}
            </div>
          ) : null}
          <SurfaceContext value={surface}>
            <Blocks blocks={view.blocks} />
          </SurfaceContext>
        </div>
        <footer className="dialog-actions">
          <button type="button" className="btn" onClick={close}>
            {plain(view.close) || (view.submit ? "Cancel" : "Close")}
          </button>
          {view.submit ? (
            <button type="submit" className="btn btn-primary" disabled={busy} aria-busy={busy}>
              {plain(view.submit)}
            </button>
          ) : null}
        </footer>
      </form>
    </Dialog>
  );
}

/** The stack of open views; only the top one can be used, the ones below keep what was entered. */
export function Modals(): ReactNode {
  const views = useApp((s) => s.views);
  return views.map((view, index) => (
    <div key={view.id} className={index === views.length - 1 ? "modal-layer" : "modal-layer is-below"} inert={index < views.length - 1}>
      <ModalView view={view} />
    </div>
  ));
}
