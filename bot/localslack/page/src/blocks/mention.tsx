import type { ReactNode } from "react";
import { openChannel } from "../session";
import { displayName, findChannel, findGroup, findUser, useApp } from "../store";
import { slackDate } from "../format";

export function UserMention({ id, label }: { id: string; label?: string }): ReactNode {
  const me = useApp((s) => s.me);
  const name = displayName(findUser(id)) || label || id;
  return <span className={id === me ? "mention mention-me" : "mention"}>@{name}</span>;
}

export function GroupMention({ id, label }: { id: string; label?: string }): ReactNode {
  const me = useApp((s) => s.me);
  const group = findGroup(id);
  const name = group?.handle ?? label?.replace(/^@/, "") ?? id;
  return <span className={group?.users.includes(me) ? "mention mention-me" : "mention"}>@{name}</span>;
}

export function ChannelMention({ id, label }: { id: string; label?: string }): ReactNode {
  const known = findChannel(id);
  const name = known?.name ?? label ?? id;
  if (!known) return <span className="mention">#{name}</span>;
  return (
    <button type="button" className="mention mention-link" onClick={() => void openChannel(id)}>
      #{name}
    </button>
  );
}

const SAFE = /^(https?:|mailto:|tel:)/i;

export function SafeLink({ href, children }: { href: string; children: ReactNode }): ReactNode {
  if (!SAFE.test(href)) return <>{children}</>;
  return (
    <a href={href} target="_blank" rel="noopener noreferrer" title={href}>
      {children}
    </a>
  );
}

export const unescape = (text: string): string =>
  text.replace(/&lt;/g, "<").replace(/&gt;/g, ">").replace(/&amp;/g, "&");

/** What stands between `<` and `>` in mrkdwn: a mention, a link, a date or a group. */
export function AngleToken({ body }: { body: string }): ReactNode {
  const [target = "", label] = body.split(/\|(.*)/s);
  const shown = label ? unescape(label) : undefined;
  if (target.startsWith("@")) return <UserMention id={target.slice(1)} label={shown} />;
  if (target.startsWith("#")) return <ChannelMention id={target.slice(1)} label={shown} />;
  if (target.startsWith("!date^")) {
    const [, unix = "0", format = "", link] = target.split("^");
    const text = Number.isNaN(Number(unix)) ? (shown ?? "") : slackDate(Number(unix), format);
    return link ? <SafeLink href={link}>{text}</SafeLink> : <time title={shown}>{text}</time>;
  }
  if (target.startsWith("!subteam^")) return <GroupMention id={target.slice("!subteam^".length)} label={shown} />;
  if (target.startsWith("!")) return <span className="mention mention-me">@{target.slice(1)}</span>;
  return <SafeLink href={unescape(target)}>{shown ?? unescape(target)}</SafeLink>;
}
