import { type ReactNode, useEffect } from "react";
import { closeThread, followPlace, markRead, start } from "./session";
import { store, useApp } from "./store";
import { BotControl } from "./ui/bot-control";
import { ChannelPane } from "./ui/channel-pane";
import { Icon } from "./ui/icons";
import { Modals } from "./ui/modal";
import { PersonMenu } from "./ui/person-menu";
import { Sidebar } from "./ui/sidebar";
import { useTheme } from "./ui/theme";
import { ThreadPane } from "./ui/thread-pane";

function TopBar(): ReactNode {
  const [theme, toggle] = useTheme();
  return (
    <div className="top-bar">
      <BotControl />
      <span className="spacer" />
      <button
        type="button"
        className="top-btn"
        aria-label={theme === "dark" ? "Use the light theme" : "Use the dark theme"}
        title={theme === "dark" ? "Light theme" : "Dark theme"}
        onClick={toggle}
      >
        <Icon name={theme === "dark" ? "sun" : "moon"} />
      </button>
      <PersonMenu />
    </div>
  );
}

/** Slack's window title: marks what is unread. */
function useTitle(): void {
  const team = useApp((s) => s.boot?.team.name ?? "Local Slack");
  const mentions = useApp((s) => Object.values(s.mentions).reduce((sum, count) => sum + count, 0));
  const unread = useApp((s) => Object.values(s.unread).some((count) => count > 0));
  useEffect(() => {
    document.title = `${mentions > 0 ? `(${mentions}) ` : unread ? "* " : ""}${team} - Local Slack`;
  }, [team, mentions, unread]);
}

function useKeys(): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== "Escape" || event.defaultPrevented) return;
      const { views, thread, drawer } = store.get();
      if (drawer) store.set({ drawer: false });
      else if (views.length === 0 && thread) closeThread();
    };
    const onFocus = (): void => markRead(store.get().channel);
    window.addEventListener("hashchange", followPlace);
    window.addEventListener("keydown", onKey);
    window.addEventListener("focus", onFocus);
    return () => {
      window.removeEventListener("hashchange", followPlace);
      window.removeEventListener("keydown", onKey);
      window.removeEventListener("focus", onFocus);
    };
  }, []);
}

export function App(): ReactNode {
  const ready = useApp((s) => s.boot !== null);
  const failure = useApp((s) => s.failure);
  const link = useApp((s) => s.link);
  const thread = useApp((s) => s.thread);
  const notice = useApp((s) => s.notice);
  const drawer = useApp((s) => s.drawer);
  useTitle();
  useKeys();
  useEffect(() => void start(""), []);
  if (!ready)
    return (
      <div className="loading" role="status">
        <p>{failure || link === "lost" ? "Waiting for Local Slack to answer..." : "Loading your workspace..."}</p>
      </div>
    );
  return (
    <div className={thread ? "app has-thread" : "app"}>
      <TopBar />
      <div className="columns">
        <Sidebar />
        {drawer ? <div className="drawer-shade" onClick={() => store.set({ drawer: false })} /> : null}
        <ChannelPane />
        {thread ? <ThreadPane thread={thread} /> : null}
      </div>
      <Modals />
      {link === "lost" ? (
        <div className="toast toast-warn" role="status">
          Reconnecting. New messages appear as soon as the connection is back.
        </div>
      ) : null}
      {notice ? (
        <div className="toast" role="status">
          {notice}
        </div>
      ) : null}
    </div>
  );
}
