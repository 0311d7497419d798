import { useSyncExternalStore } from "react";
import type { Channel, Message, SessionStatus, State, User, UserGroup, View } from "./types";

export interface Suggested {
  title?: string;
  prompts: { title: string; message: string }[];
}

export interface AppState {
  boot: State | null;
  me: string;
  channel: string;
  tab: "messages" | "home";
  thread: string | null;
  /** Roots of each channel already fetched, oldest first. */
  messages: Record<string, Message[]>;
  /** Root and replies of each thread already fetched, by `threadKey`. */
  threads: Record<string, Message[]>;
  unread: Record<string, number>;
  mentions: Record<string, number>;
  /** How often somebody else was mentioned since that person last looked, by person. */
  others: Record<string, number>;
  sessions: Record<string, SessionStatus>;
  /** Prompts the app suggests in a thread, by `threadKey`; without a thread, in a direct message. */
  suggested: Record<string, Suggested>;
  views: View[];
  home: View | null;
  online: boolean;
  /** Start was pressed and the bot has not connected yet. */
  starting: boolean;
  link: "connecting" | "open" | "lost";
  failure: string | null;
  notice: string | null;
  /** Buttons that were clicked and not yet answered, and clicks that could not be delivered. */
  pending: Record<string, true>;
  refused: Record<string, string>;
  drawer: boolean;
  /** Message a copied link points at. */
  target: string | null;
}

const initial: AppState = {
  boot: null,
  me: "",
  channel: "",
  tab: "messages",
  thread: null,
  messages: {},
  threads: {},
  unread: {},
  mentions: {},
  others: {},
  sessions: {},
  suggested: {},
  views: [],
  home: null,
  online: false,
  starting: false,
  link: "connecting",
  failure: null,
  notice: null,
  pending: {},
  refused: {},
  drawer: false,
  target: null,
};

let state = initial;
const listeners = new Set<() => void>();

export const store = {
  get: (): AppState => state,
  set(change: Partial<AppState> | ((old: AppState) => Partial<AppState>)): void {
    state = { ...state, ...(typeof change === "function" ? change(state) : change) };
    for (const listener of listeners) listener();
  },
  subscribe(listener: () => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
};

export function useApp<T>(select: (state: AppState) => T): T {
  return useSyncExternalStore(store.subscribe, () => select(state));
}

export const threadKey = (channel: string, ts: string): string => `${channel}/${ts}`;

const none: Message[] = [];
export const useMessages = (channel: string): Message[] => useApp((s) => s.messages[channel] ?? none);
export const useThread = (channel: string, ts: string): Message[] =>
  useApp((s) => s.threads[threadKey(channel, ts)] ?? none);

export function findUser(id: string | undefined): User | undefined {
  return state.boot?.users.find((user) => user.id === id);
}

export const displayName = (user: User | undefined): string => user?.real_name || user?.name || "";

export const findGroup = (id: string): UserGroup | undefined =>
  state.boot?.user_groups?.find((group) => group.id === id);

export const findChannel = (id: string): Channel | undefined => state.boot?.channels.find((c) => c.id === id);

export function botUser(): User | undefined {
  const wanted = state.boot?.bot.user_id;
  return state.boot?.users.find((user) => (wanted ? user.id === wanted : user.is_bot));
}

export const botName = (): string => displayName(botUser()) || state.boot?.bot.name || "the app";

export const isIm = (channel: Channel): boolean => channel.is_im === true || channel.id.startsWith("D");

/** The other side of a direct message: the named user, else the member who is not the acting person, else the bot. */
export function imPeer(channel: Channel): User | undefined {
  const other = channel.user && channel.user !== state.me ? channel.user : channel.members?.find((m) => m !== state.me);
  return findUser(other) ?? botUser();
}

export function channelTitle(id: string): string {
  const channel = findChannel(id);
  if (!channel) return "";
  return isIm(channel) ? displayName(imPeer(channel)) : (channel.name ?? channel.id);
}

export const topicOf = (channel: Channel | undefined): string =>
  typeof channel?.topic === "string" ? channel.topic : (channel?.topic?.value ?? "");
