import type { ReactNode } from "react";
import { closeThread } from "../session";
import { channelTitle, findChannel, isIm, useApp, useThread } from "../store";
import { Composer } from "./composer";
import { SceneHint } from "./hint";
import { Icon } from "./icons";
import { MessageList } from "./message-list";
import { SessionStatus } from "./session-status";
import { SuggestedPrompts } from "./suggested";

/** The right pane: one thread. On a phone it covers the channel. */
export function ThreadPane({ thread }: { thread: string }): ReactNode {
  const channel = useApp((s) => s.channel);
  const messages = useThread(channel, thread);
  const found = findChannel(channel);
  const replies = messages.filter((message) => message.ts !== thread && !message.ephemeral).length;
  const title = `${found && isIm(found) ? "" : "#"}${channelTitle(channel)}`;
  return (
    <aside className="thread" aria-label="Thread">
      <header className="pane-head">
        <div className="pane-title">
          <button type="button" className="icon-btn thread-back" aria-label="Back to channel" onClick={closeThread}>
            <Icon name="back" />
          </button>
          <h1>Thread</h1>
          <span className="pane-topic">{title}</span>
          <button type="button" className="icon-btn thread-close" aria-label="Close thread" title="Close (Esc)" onClick={closeThread}>
            <Icon name="close" />
          </button>
        </div>
      </header>
      <MessageList
        key={`${channel}/${thread}`}
        messages={messages}
        channel={channel}
        inThread
        label="Thread messages"
        divider={
          replies > 0 ? (
            <div className="replies-line">
              <span>
                {replies} {replies === 1 ? "reply" : "replies"}
              </span>
            </div>
          ) : null
        }
      />
      <footer className="pane-foot">
        <SceneHint messages={messages} />
        <SuggestedPrompts channel={channel} thread={thread} />
        <SessionStatus channel={channel} thread={thread} />
        <Composer key={`${channel}/${thread}`} channel={channel} thread={thread} placeholder="Reply..." />
      </footer>
    </aside>
  );
}
