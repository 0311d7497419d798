import { displayName, isIm, store } from "./store";
import type { Channel, User } from "./types";

const escape = (text: string): string => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
const quoteForRegExp = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** Names a person may type for a user, longest first so that "Ana Ruiz" wins over "Ana". */
function handles(users: User[]): [string, string][] {
  return users
    .flatMap((user): [string, string][] => [
      [displayName(user), user.id],
      [user.name, user.id],
    ])
    .filter(([name]) => name !== "")
    .sort((a, b) => b[0].length - a[0].length);
}

const channelsOf = (channels: Channel[]): [string, string][] =>
  channels.filter((channel) => !isIm(channel) && channel.name).map((channel) => [channel.name ?? "", channel.id]);

/** What was typed, as Slack sends it: escaped, with mentions, channels and addresses in angle brackets. */
export function toWire(typed: string): string {
  const boot = store.get().boot;
  let text = escape(typed.trim()).replace(/(^|[\s(])(https?:\/\/[^\s<>]*[^\s<>.,;:!?)])/g, "$1<$2>");
  for (const [name, id] of handles(boot?.users ?? []))
    text = text.replace(new RegExp(`(^|[^\\w@<])@${quoteForRegExp(escape(name))}(?![\\w-])`, "gi"), `$1<@${id}>`);
  for (const [name, id] of channelsOf(boot?.channels ?? []))
    text = text.replace(new RegExp(`(^|[^\\w#<])#${quoteForRegExp(name)}(?![\\w-])`, "g"), `$1<#${id}|${name}>`);
  return text.replace(/(^|\s)@(here|channel|everyone)\b/g, "$1<!$2>");
}

/** The reverse, for the edit box. */
export function fromWire(text: string): string {
  const users = store.get().boot?.users ?? [];
  return text
    .replace(/<@([A-Z0-9]+)(?:\|[^>]*)?>/g, (_whole, id: string) => `@${displayName(users.find((u) => u.id === id)) || id}`)
    .replace(/<#[A-Z0-9]+\|([^>]*)>/g, "#$1")
    .replace(/<!([a-z]+)>/g, "@$1")
    .replace(/<(https?:[^|>]+)(?:\|[^>]*)?>/g, "$1")
    .replace(/&lt;/g, "<")
    .replace(/&gt;/g, ">")
    .replace(/&amp;/g, "&");
}
