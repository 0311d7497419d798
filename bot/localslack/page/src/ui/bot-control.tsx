import { type ReactNode, useState } from "react";
import { controlBot } from "../session";
import { botName, useApp } from "../store";
import { Icon } from "./icons";

/** Whether the bot is connected, and the switch that ends or starts its process. */
export function BotControl(): ReactNode {
  const online = useApp((s) => s.online);
  const starting = useApp((s) => s.starting && !s.online);
  const control = useApp((s) => s.boot?.scene.has_control ?? false);
  const [busy, setBusy] = useState(false);
  const press = (): void => {
    setBusy(true);
    void controlBot(online ? "kill" : "start").finally(() => setBusy(false));
  };
  return (
    <div className="bot-control">
      <span className={online ? "presence-text is-on" : "presence-text"} role="status">
        <span className={online ? "presence is-on" : "presence"} />
        <span className="presence-label">
          {botName()} is {online ? "online" : starting ? "starting" : "offline"}
        </span>
      </span>
      {control ? (
        <button type="button" className={online ? "control-btn" : "control-btn is-start"} disabled={busy || starting} aria-busy={busy || starting} onClick={press}>
          <Icon name="power" />
          {online ? "Kill bot" : starting ? "Starting…" : "Start bot"}
        </button>
      ) : null}
    </div>
  );
}
