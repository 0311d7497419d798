import { type ReactNode, useCallback, useRef, useState } from "react";
import { api } from "../api";
import { COMMON, emojiOf } from "../blocks/emoji";
import { linkTo } from "../place";
import { openThread, report, say } from "../session";
import { botName, useApp } from "../store";
import type { Message } from "../types";
import { EmojiPicker } from "./emoji-picker";
import { Icon } from "./icons";
import { moveFocus, placed, useDismiss } from "./popover";

/** Adds or takes back one's own reaction. */
export function toggleReaction(me: string, channel: string, message: Message, name: string): void {
  const mine = message.reactions?.some((reaction) => reaction.name === name && reaction.users?.includes(me)) ?? false;
  api.react({ user: me, channel, ts: message.ts, name, ...(mine ? { remove: true } : {}) }).catch(report);
}

interface Props {
  message: Message;
  channel: string;
  inThread: boolean;
  edit: () => void;
}

/** The bar that appears over a message under the pointer or the keyboard focus. */
export function MessageTools({ message, channel, inThread, edit }: Props): ReactNode {
  const me = useApp((s) => s.me);
  const [picking, setPicking] = useState(false);
  const [menu, setMenu] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const close = useCallback(() => setMenu(false), []);
  useDismiss(box, menu, close);
  const react = (name: string): void => {
    setPicking(false);
    toggleReaction(me, channel, message, name);
  };
  return (
    <div className={picking || menu ? "tools is-open" : "tools"} role="toolbar" aria-label="Message actions" ref={box}>
      {COMMON.slice(0, 3).map((name) => (
        <button key={name} type="button" className="tool tool-emoji" aria-label={`React with ${name}`} onClick={() => react(name)}>
          {emojiOf(name)}
        </button>
      ))}
      <button type="button" className="tool" title="Add reaction" aria-label="Add reaction" onClick={() => setPicking(!picking)}>
        <Icon name="smile" />
      </button>
      {inThread ? null : (
        <button
          type="button"
          className="tool"
          title="Reply in thread"
          aria-label="Reply in thread"
          onClick={() => openThread(message.thread_ts ?? message.ts)}
        >
          <Icon name="reply" />
        </button>
      )}
      <button
        type="button"
        className="tool"
        title="More actions"
        aria-label="More actions"
        aria-haspopup="menu"
        aria-expanded={menu}
        onClick={() => setMenu(!menu)}
      >
        <Icon name="more" />
      </button>
      {picking ? <EmojiPicker pick={react} close={() => setPicking(false)} /> : null}
      {menu ? <MoreMenu message={message} channel={channel} close={close} edit={edit} /> : null}
    </div>
  );
}

function focusFirst(menu: HTMLElement | null): void {
  placed(menu);
  menu?.querySelector("button")?.focus();
}

function MoreMenu({ message, channel, close, edit }: Omit<Props, "inThread"> & { close: () => void }): ReactNode {
  const me = useApp((s) => s.me);
  const shortcuts = useApp((s) => s.boot?.scene.shortcuts);
  const known = shortcuts?.filter((item) => item.type !== "global") ?? [];
  const offered = known.length > 0 ? known : [{ callback_id: "ask_about", name: `Ask ${botName()} about this` }];
  const own = message.user === me && !message.bot_id;
  const copy = (text: string): void => {
    navigator.clipboard.writeText(text).then(() => say("Copied to the clipboard."), report);
  };
  const item = (label: string, run: () => void, className = ""): ReactNode => (
    <button
      type="button"
      role="menuitem"
      className={className}
      key={label}
      onClick={() => {
        close();
        run();
      }}
    >
      {label}
    </button>
  );
  const remove = (): void => void api.remove({ user: me, channel, ts: message.ts }).catch(report);
  return (
    <div role="menu" className="menu tools-menu" onKeyDown={moveFocus} ref={focusFirst}>
      {offered.map((shortcut) =>
        item(shortcut.name, () => {
          api.shortcut({ user: me, callback_id: shortcut.callback_id, channel, message_ts: message.ts }).catch(report);
        }),
      )}
      <hr />
      {item("Copy link", () => copy(linkTo(channel, message.ts, message.thread_ts)))}
      {item("Copy text", () => copy(message.text ?? ""))}
      {own ? item("Edit message", edit) : null}
      {own ? item("Delete message", remove, "is-danger") : null}
    </div>
  );
}
