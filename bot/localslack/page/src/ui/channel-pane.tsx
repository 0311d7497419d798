import type { ReactNode } from "react";
import { showTab } from "../session";
import { channelTitle, findChannel, imPeer, isIm, store, topicOf, useApp, useMessages } from "../store";
import { Avatar } from "./avatar";
import { Banner } from "./banner";
import { Composer } from "./composer";
import { HomeTab } from "./home-tab";
import { Icon } from "./icons";
import { Intro, PromptButtons, usePrompts } from "./intro";
import { MessageList } from "./message-list";
import { SessionStatus } from "./session-status";
import { SceneHint } from "./hint";
import { SuggestedPrompts } from "./suggested";

function Head({ id }: { id: string }): ReactNode {
  const channel = findChannel(id);
  const tab = useApp((s) => s.tab);
  const prompts = usePrompts(id);
  const some = useMessages(id).length > 0;
  if (!channel) return null;
  const im = isIm(channel);
  const peer = im ? imPeer(channel) : undefined;
  const count = channel.members?.length ?? 0;
  const tabButton = (name: "messages" | "home", label: string): ReactNode => (
    <button type="button" role="tab" aria-selected={tab === name} className={tab === name ? "tab is-on" : "tab"} onClick={() => showTab(name)}>
      <Icon name={name === "home" ? "home" : "message"} />
      {label}
    </button>
  );
  return (
    <header className="pane-head">
      <div className="pane-title">
        <button type="button" className="drawer-btn" aria-label="Open menu" onClick={() => store.set({ drawer: true })}>
          <Icon name="menu" />
        </button>
        {im ? <Avatar user={peer} size={24} /> : <span className="pane-hash">#</span>}
        <h1>{channelTitle(id)}</h1>
        {peer?.is_bot ? <span className="badge-app">APP</span> : null}
        <span className="pane-topic">{topicOf(channel)}</span>
        {im ? null : <span className="members">{count} {count === 1 ? "member" : "members"}</span>}
      </div>
      <div className="tabs">
        <div className="tab-list" role="tablist" aria-label="Views">
          {peer?.is_bot ? tabButton("home", "Home") : null}
          {tabButton("messages", "Messages")}
        </div>
        {prompts.length > 0 && some ? <PromptButtons prompts={prompts} small /> : null}
      </div>
    </header>
  );
}

/** The middle of the window: a channel or direct message, or the app's home tab. */
export function ChannelPane(): ReactNode {
  const channel = useApp((s) => s.channel);
  const tab = useApp((s) => s.tab);
  const thread = useApp((s) => s.thread);
  const messages = useMessages(channel);
  const found = findChannel(channel);
  if (!found) return <main className="pane" />;
  const title = channelTitle(channel);
  return (
    <main className="pane" aria-label={title}>
      <Head id={channel} />
      <Banner />
      {tab === "home" ? (
        <HomeTab />
      ) : (
        <>
          <MessageList key={channel} messages={messages} channel={channel} inThread={false} intro={<Intro channel={channel} />} label={`Messages in ${title}`} />
          <footer className="pane-foot">
            {thread ? null : <SceneHint messages={messages} />}
            <SuggestedPrompts channel={channel} />
            {isIm(found) ? <LatestStatus channel={channel} ts={messages.at(-1)?.ts} /> : null}
            <Composer key={channel} channel={channel} placeholder={`Message ${isIm(found) ? "" : "#"}${title}`} />
          </footer>
        </>
      )}
    </main>
  );
}

/** In a direct message the newest root is what the app works on. */
function LatestStatus({ channel, ts }: { channel: string; ts: string | undefined }): ReactNode {
  return ts ? <SessionStatus channel={channel} thread={ts} /> : null;
}
