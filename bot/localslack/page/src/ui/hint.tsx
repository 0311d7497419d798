import { type ReactNode, useState } from "react";
import { useApp } from "../store";
import type { Message } from "../types";
import { BotControl } from "./bot-control";
import { Icon } from "./icons";

/** Shown while a message on screen has a button whose action id starts as the scene says. */
export function SceneHint({ messages }: { messages: Message[] }): ReactNode {
  const hints = useApp((s) => s.boot?.scene.hints);
  const [hidden, setHidden] = useState<string | null>(null);
  const armed = (prefix: string): boolean =>
    messages.some((message) => JSON.stringify(message.blocks ?? []).includes(`"action_id":"${prefix}`));
  const hint = hints?.find((item) => item.text !== hidden && armed(item.when_action));
  if (!hint) return null;
  return (
    <div className="hint" role="note">
      <Icon name="bulb" />
      <span>{hint.text}</span>
      <BotControl />
      <button type="button" className="icon-btn" aria-label="Hide hint" onClick={() => setHidden(hint.text)}>
        <Icon name="close" />
      </button>
    </div>
  );
}
