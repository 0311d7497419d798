import { emojiNames, emojiOf } from "../blocks/emoji";
import { displayName, isIm, store } from "../store";
import type { User } from "../types";

export interface Suggestion {
  insert: string;
  label: string;
  detail?: string;
  user?: User;
  glyph?: string;
}

export interface Query {
  kind: "@" | "#" | ":" | "/";
  text: string;
  /** Where the trigger character stands. */
  from: number;
}

const MOST = 8;

/** The half-typed mention, channel, emoji or command that ends at the caret. */
export function queryAt(text: string, caret: number): Query | null {
  const before = text.slice(0, caret);
  const command = /^\/([\w-]*)$/.exec(before);
  if (command) return { kind: "/", text: command[1] ?? "", from: 0 };
  const found = /(^|[\s(])([@#:])([\w.+-]*)$/.exec(before);
  if (!found) return null;
  const kind = found[2] as "@" | "#" | ":";
  const word = found[3] ?? "";
  if (kind === ":" && word.length < 2) return null;
  return { kind, text: word.toLowerCase(), from: caret - word.length - 1 };
}

function userSuggestions(text: string): Suggestion[] {
  const { boot, me } = store.get();
  const fits = (user: User): boolean =>
    user.id !== me && !user.is_stranger && `${displayName(user)} ${user.name}`.toLowerCase().split(/\s+/).some((word) => word.startsWith(text));
  return [...(boot?.users ?? [])]
    .sort((a, b) => Number(b.is_bot ?? false) - Number(a.is_bot ?? false))
    .filter(fits)
    .map((user) => ({ insert: `@${displayName(user)} `, label: displayName(user), detail: user.is_bot ? "app" : user.name, user }));
}

export function suggestionsFor(query: Query): Suggestion[] {
  const boot = store.get().boot;
  switch (query.kind) {
    case "@":
      return userSuggestions(query.text).slice(0, MOST);
    case "#":
      return (boot?.channels ?? [])
        .filter((channel) => !isIm(channel) && channel.name?.startsWith(query.text))
        .map((channel) => ({ insert: `#${channel.name} `, label: `#${channel.name}` }))
        .slice(0, MOST);
    case ":":
      return emojiNames
        .filter((name) => name.startsWith(query.text))
        .slice(0, MOST)
        .map((name) => ({ insert: `:${name}: `, label: `:${name}:`, glyph: emojiOf(name) }));
    case "/":
      return (boot?.scene.commands ?? [])
        .filter((item) => item.command.slice(1).startsWith(query.text))
        .map((item) => ({ insert: `${item.command} `, label: item.command, detail: item.description }));
  }
}
