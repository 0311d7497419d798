import type { ReactNode } from "react";
import { api } from "../api";
import { toWire } from "../compose";
import { openThread, report } from "../session";
import { store, threadKey, useApp } from "../store";

/** What the app suggests to ask next; a click sends it. They go once one was used. */
export function SuggestedPrompts({ channel, thread }: { channel: string; thread?: string }): ReactNode {
  const key = threadKey(channel, thread ?? "");
  const suggested = useApp((s) => s.suggested[key]);
  if (!suggested || suggested.prompts.length === 0) return null;
  const use = async (message: string): Promise<void> => {
    store.set((s) => ({ suggested: { ...s.suggested, [key]: { prompts: [] } } }));
    const sent = await api.send({ user: store.get().me, channel, text: toWire(message), ...(thread ? { thread_ts: thread } : {}) });
    if (!thread && sent.ts) openThread(sent.ts);
  };
  return (
    <div className="suggested" role="group" aria-label={suggested.title || "Suggested prompts"}>
      {suggested.title ? <small>{suggested.title}</small> : null}
      {suggested.prompts.map((prompt) => (
        <button key={prompt.title} type="button" className="btn btn-small" title={prompt.message} onClick={() => void use(prompt.message).catch(report)}>
          {prompt.title}
        </button>
      ))}
    </div>
  );
}
