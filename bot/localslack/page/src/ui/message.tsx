import { memo, type ReactNode, useMemo, useState } from "react";
import { api } from "../api";
import { Blocks } from "../blocks/blocks";
import { Emoji } from "../blocks/emoji";
import { Mrkdwn } from "../blocks/mrkdwn";
import { SurfaceContext, SurfaceState } from "../blocks/surface";
import { ago, clock, clockShort, fullTime } from "../format";
import { openThread, report } from "../session";
import { botUser, displayName, findUser, useApp } from "../store";
import { asList, asText, type Message as SlackMessage, type Obj, type User } from "../types";
import { Avatar } from "./avatar";
import { EditBox } from "./edit-box";
import { Files } from "./files";
import { Icon } from "./icons";
import { MessageTools, toggleReaction } from "./message-tools";

export function authorOf(message: SlackMessage): User | undefined {
  const user = findUser(message.user) ?? (message.bot_id ? botUser() : undefined);
  return message.username && user ? { ...user, real_name: message.username } : user;
}

interface Props {
  message: SlackMessage;
  channel: string;
  inThread: boolean;
  /** Whether the author's name is left out because the message above is by the same person. */
  joined: boolean;
  targeted: boolean;
}

function Attachment({ attachment }: { attachment: Obj }): ReactNode {
  return (
    <div className="attachment" style={{ borderColor: `#${asText(attachment.color).replace("#", "") || "ddd"}` }}>
      {attachment.pretext ? <Mrkdwn text={asText(attachment.pretext)} /> : null}
      {attachment.title ? <strong>{asText(attachment.title)}</strong> : null}
      {attachment.text ? <Mrkdwn text={asText(attachment.text)} /> : null}
      <Blocks blocks={asList(attachment.blocks)} />
    </div>
  );
}

function Body({ message }: { message: SlackMessage }): ReactNode {
  const blocks = message.blocks ?? [];
  const edited = message.edited && !message.bot_id ? <span className="edited">(edited)</span> : null;
  return (
    <>
      {blocks.length > 0 ? (
        <>
          <Blocks blocks={blocks} /> {edited}
        </>
      ) : message.text ? (
        <div className="text">
          <Mrkdwn text={message.text} /> {edited}
        </div>
      ) : null}
      {message.attachments?.map((attachment, index) => <Attachment key={index} attachment={attachment} />)}
      {message.files && message.files.length > 0 ? <Files files={message.files} /> : null}
    </>
  );
}

function Reactions({ message, channel }: { message: SlackMessage; channel: string }): ReactNode {
  const me = useApp((s) => s.me);
  if (!message.reactions?.length) return null;
  return (
    <div className="reactions">
      {message.reactions.map((reaction) => {
        const mine = reaction.users?.includes(me) ?? false;
        const names = (reaction.users ?? []).map((id) => displayName(findUser(id)) || id).join(", ");
        return (
          <button
            key={reaction.name}
            type="button"
            className={mine ? "reaction is-mine" : "reaction"}
            title={`${names} reacted with :${reaction.name}:`}
            aria-pressed={mine}
            aria-label={`${reaction.name}, ${reaction.count}`}
            onClick={() => toggleReaction(me, channel, message, reaction.name)}
          >
            <Emoji name={reaction.name} /> <span>{reaction.count}</span>
          </button>
        );
      })}
    </div>
  );
}

function ThreadLink({ message }: { message: SlackMessage }): ReactNode {
  if (!message.reply_count) return null;
  const count = message.reply_count;
  return (
    <button type="button" className="thread-link" onClick={() => openThread(message.ts)}>
      {(message.reply_users ?? []).slice(0, 4).map((id) => (
        <Avatar key={id} user={findUser(id) ?? botUser()} size={24} />
      ))}
      <strong>
        {count} {count === 1 ? "reply" : "replies"}
      </strong>
      {message.latest_reply ? <span className="thread-last">Last reply {ago(message.latest_reply)}</span> : null}
      <span className="thread-view">View thread</span>
      <Icon name="chevron-right" />
    </button>
  );
}

function Tombstone({ message, inThread }: { message: SlackMessage; inThread: boolean }): ReactNode {
  return (
    <div className="message is-tombstone" data-ts={message.ts}>
      <div className="gutter">
        <Icon name="trash" />
      </div>
      <div className="content">
        <em>This message was deleted.</em>
        {inThread ? null : <ThreadLink message={message} />}
      </div>
    </div>
  );
}

export const Message = memo(function Message({ message, channel, inThread, joined, targeted }: Props): ReactNode {
  const [editing, setEditing] = useState(false);
  const me = useApp((s) => s.me);
  const author = authorOf(message);
  const name = displayName(author) || message.username || message.user || "Unknown";
  const surface = useMemo(
    () => new SurfaceState({ id: message.ts, kind: "message", channel }),
    [message.ts, channel],
  );
  const save = async (text: string): Promise<void> => {
    setEditing(false);
    await api.edit({ user: me, channel, ts: message.ts, text }).catch(report);
  };
  if (message.subtype === "tombstone") return <Tombstone message={message} inThread={inThread} />;
  const classes = ["message", joined && "is-joined", message.ephemeral && "is-ephemeral", targeted && "is-target", editing && "is-editing"];
  return (
    <div
      className={classes.filter(Boolean).join(" ")}
      role="article"
      aria-label={`${name}, ${clock(message.ts)}`}
      data-ts={message.ts}
      tabIndex={-1}
    >
      <div className="gutter">
        {joined ? (
          <time className="side-time" title={fullTime(message.ts)}>
            {clockShort(message.ts)}
          </time>
        ) : (
          <Avatar user={author} />
        )}
      </div>
      <div className="content">
        {message.ephemeral ? (
          <div className="only-you">
            <Icon name="eye" /> Only visible to you
          </div>
        ) : null}
        {joined ? null : (
          <div className="byline">
            <strong>{name}</strong>
            {message.bot_id || author?.is_bot ? <span className="badge-app">APP</span> : null}
            {author?.is_restricted ? <span className="badge-app">GUEST</span> : null}
            <time title={fullTime(message.ts)}>{clock(message.ts)}</time>
          </div>
        )}
        <SurfaceContext value={surface}>
          {editing ? <EditBox text={message.text ?? ""} save={save} cancel={() => setEditing(false)} /> : <Body message={message} />}
        </SurfaceContext>
        <Reactions message={message} channel={channel} />
        {inThread ? null : <ThreadLink message={message} />}
      </div>
      {message.ephemeral || editing ? null : (
        <MessageTools message={message} channel={channel} inThread={inThread} edit={() => setEditing(true)} />
      )}
    </div>
  );
});
