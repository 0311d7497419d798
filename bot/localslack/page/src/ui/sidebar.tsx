import type { ReactNode } from "react";
import { openChannel } from "../session";
import { channelTitle, imPeer, isIm, store, useApp } from "../store";
import type { Channel } from "../types";
import { Avatar } from "./avatar";
import { Icon } from "./icons";

function Row({ channel }: { channel: Channel }): ReactNode {
  const current = useApp((s) => s.channel === channel.id);
  const unread = useApp((s) => s.unread[channel.id] ?? 0);
  const mentions = useApp((s) => s.mentions[channel.id] ?? 0);
  const online = useApp((s) => s.online);
  const im = isIm(channel);
  const peer = im ? imPeer(channel) : undefined;
  const badge = mentions || (im ? unread : 0);
  const classes = ["side-row", current && "is-current", (unread > 0 || mentions > 0) && !current && "is-unread"];
  return (
    <button
      type="button"
      className={classes.filter(Boolean).join(" ")}
      aria-current={current ? "page" : undefined}
      data-channel={channel.id}
      onClick={() => void openChannel(channel.id)}
    >
      {im ? <Avatar user={peer} size={20} dot={peer?.is_bot ? online : true} /> : <Icon name="hash" />}
      <span className="side-name">{channelTitle(channel.id)}</span>
      {badge > 0 && !current ? (
        <span className="badge" aria-label={`${badge} unread`}>
          {badge}
        </span>
      ) : null}
    </button>
  );
}

/** Workspace name, channels and direct messages. */
export function Sidebar(): ReactNode {
  const boot = useApp((s) => s.boot);
  const drawer = useApp((s) => s.drawer);
  const channels = boot?.channels ?? [];
  const direct = channels.filter(isIm);
  const isApp = (channel: Channel): boolean => imPeer(channel)?.is_bot === true;
  const group = (title: string, rows: Channel[]): ReactNode =>
    rows.length > 0 ? (
      <section aria-label={title}>
        <h2>
          <Icon name="chevron-down" /> {title}
        </h2>
        {rows.map((channel) => (
          <Row key={channel.id} channel={channel} />
        ))}
      </section>
    ) : null;
  return (
    <nav className={drawer ? "sidebar is-open" : "sidebar"} aria-label="Channels and direct messages">
      <div className="side-head">
        <strong>{boot?.team.name}</strong>
        <button type="button" className="side-close" aria-label="Close menu" onClick={() => store.set({ drawer: false })}>
          <Icon name="close" />
        </button>
      </div>
      <div className="side-scroll">
        {group("Channels", channels.filter((channel) => !isIm(channel)))}
        {group("Direct messages", direct.filter((channel) => !isApp(channel)))}
        {group("Agents and apps", direct.filter(isApp))}
      </div>
    </nav>
  );
}
