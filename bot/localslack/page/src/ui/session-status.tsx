import { type ReactNode, useState } from "react";
import { api } from "../api";
import { report } from "../session";
import { botName, store, threadKey, useApp } from "../store";
import { Icon } from "./icons";

/** "Handrail is working..." with Slack's own Stop button, while the agent session is processing. */
export function SessionStatus({ channel, thread }: { channel: string; thread: string }): ReactNode {
  const session = useApp((s) => s.sessions[threadKey(channel, thread)]);
  const [stopping, setStopping] = useState(false);
  const processing = session?.status === "processing";
  if (!session || (!processing && !session.text)) return null;
  const stop = (): void => {
    setStopping(true);
    api
      .stop({ user: store.get().me, channel, thread_ts: thread })
      .catch(report)
      .finally(() => window.setTimeout(() => setStopping(false), 3000));
  };
  return (
    <div className="session-status" role="status">
      <span className="dots" aria-hidden="true">
        <i />
        <i />
        <i />
      </span>
      <span className="session-text">
        <strong>{botName()}</strong> {session.text || "is working..."}
      </span>
      {processing ? (
        <button type="button" className="btn btn-small" disabled={stopping} onClick={stop}>
          <Icon name="stop" /> {stopping ? "Stopping" : "Stop"}
        </button>
      ) : null}
    </div>
  );
}
