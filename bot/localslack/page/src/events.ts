import { type AppState, store, threadKey } from "./store";
import type { LiveEvent, Message } from "./types";

const isReply = (message: Message): boolean => message.thread_ts !== undefined && message.thread_ts !== message.ts;

function upsert(list: Message[], message: Message): Message[] {
  const at = list.findIndex((item) => item.ts === message.ts);
  if (at >= 0) return list.map((item, index) => (index === at ? { ...keepCounts(item, message) } : item));
  const next = [...list, message];
  return next.sort((a, b) => Number.parseFloat(a.ts) - Number.parseFloat(b.ts));
}

/** A changed message may come without the thread counters of its root; those stay. */
function keepCounts(old: Message, fresh: Message): Message {
  return {
    ...fresh,
    reply_count: fresh.reply_count ?? old.reply_count,
    reply_users: fresh.reply_users ?? old.reply_users,
    latest_reply: fresh.latest_reply ?? old.latest_reply,
    ephemeral: fresh.ephemeral ?? old.ephemeral,
  };
}

/** Counts a reply on its root once, whichever of the two events (reply, changed root) comes first. */
function bumpRoot(list: Message[], reply: Message): Message[] {
  return list.map((root) => {
    if (root.ts !== reply.thread_ts || reply.ephemeral) return root;
    if (root.latest_reply && Number.parseFloat(root.latest_reply) >= Number.parseFloat(reply.ts)) return root;
    const author = reply.user ?? reply.bot_id ?? "";
    const users = root.reply_users ?? [];
    return {
      ...root,
      reply_count: (root.reply_count ?? 0) + 1,
      latest_reply: reply.ts,
      reply_users: users.includes(author) ? users : [...users, author],
    };
  });
}

function putMessage(state: AppState, channel: string, message: Message): Partial<AppState> {
  const messages = { ...state.messages };
  const threads = { ...state.threads };
  const root = message.thread_ts ?? message.ts;
  const key = threadKey(channel, root);
  const inChannel = messages[channel];
  if (inChannel) {
    const shown = !isReply(message) || message.subtype === "thread_broadcast";
    const withReply = isReply(message) ? bumpRoot(inChannel, message) : inChannel;
    messages[channel] = shown ? upsert(withReply, message) : withReply;
  }
  const inThread = threads[key];
  if (inThread) threads[key] = upsert(isReply(message) ? bumpRoot(inThread, message) : inThread, message);
  return { messages, threads };
}

/** Takes a message away; a root with replies stays as Slack's tombstone, because its thread stays. */
function dropMessage(state: AppState, channel: string, ts: string, root?: string): Partial<AppState> {
  const bury = ({ thread_ts, reply_count, reply_users, latest_reply }: Message): Message => ({
    ts,
    subtype: "tombstone",
    text: "This message was deleted.",
    ...{ thread_ts, reply_count, reply_users, latest_reply },
  });
  const shrink = (message: Message): Message =>
    root && message.ts === root ? { ...message, reply_count: Math.max((message.reply_count ?? 1) - 1, 0) } : message;
  const without = (list: Message[]): Message[] =>
    list.flatMap((message) => (message.ts !== ts ? [shrink(message)] : message.reply_count ? [bury(message)] : []));
  const messages = { ...state.messages, [channel]: without(state.messages[channel] ?? []) };
  const threads = Object.fromEntries(
    Object.entries(state.threads).map(([key, list]) => [key, key.startsWith(`${channel}/`) ? without(list) : list]),
  );
  return { messages, threads };
}

/** Forgets clicks waiting on a message or view that has now changed. */
function settle(state: AppState, surface: string): Partial<AppState> {
  const pending = Object.fromEntries(Object.entries(state.pending).filter(([key]) => !key.startsWith(`${surface}|`)));
  return { pending };
}

function putReactions(state: AppState, event: LiveEvent): Partial<AppState> {
  const change = (list: Message[]): Message[] =>
    list.map((message) => (message.ts === event.ts ? { ...message, reactions: event.reactions ?? [] } : message));
  const channel = event.channel ?? "";
  return {
    messages: { ...state.messages, [channel]: change(state.messages[channel] ?? []) },
    threads: Object.fromEntries(
      Object.entries(state.threads).map(([key, list]) => [key, key.startsWith(`${channel}/`) ? change(list) : list]),
    ),
  };
}

function putView(state: AppState, event: LiveEvent): Partial<AppState> {
  const view = event.view;
  if (event.type === "view_closed") {
    const id = event.view_id ?? view?.id;
    return { views: state.views.filter((open) => open.id !== id) };
  }
  if (!view) return {};
  if (view.type === "home") return { home: view };
  const known = state.views.some((open) => open.id === view.id);
  const views = known ? state.views.map((open) => (open.id === view.id ? view : open)) : [...state.views, view].slice(-3);
  return { views, ...(known ? settle(state, view.id) : { pending: {} }) };
}

function putSession(state: AppState, event: LiveEvent): Partial<AppState> {
  const channel = event.channel ?? "";
  const thread = event.thread_ts ?? "";
  const session = { channel, thread_ts: thread, status: event.status ?? "", text: event.text };
  return { sessions: { ...state.sessions, [threadKey(channel, thread)]: session } };
}

function putUnread(state: AppState, event: LiveEvent): Partial<AppState> {
  if (event.unread === undefined && event.count === undefined) return {};
  const counts =
    typeof event.unread === "object"
      ? { ...event.unread }
      : { ...state.unread, [event.channel ?? ""]: event.count ?? event.unread ?? 0 };
  if (document.hasFocus()) delete counts[state.channel];
  return { unread: counts, ...(event.mentions ? { mentions: event.mentions } : {}) };
}

export const mentionsUser = (message: Message | undefined, user: string): boolean =>
  message !== undefined && message.user !== user && JSON.stringify([message.text, message.blocks]).includes(`@${user}>`);

/** Marks a channel for a new message of somebody else: bold for roots (and all of a direct message), a number for mentions. */
function countNew(state: AppState, channel: string, message: Message): Partial<AppState> {
  if (message.user === state.me || (state.channel === channel && document.hasFocus())) return {};
  const counts = !isReply(message) || channel.startsWith("D");
  const unread = counts ? { ...state.unread, [channel]: (state.unread[channel] ?? 0) + 1 } : state.unread;
  if (!mentionsUser(message, state.me)) return { unread };
  return { unread, mentions: { ...state.mentions, [channel]: (state.mentions[channel] ?? 0) + 1 } };
}

function reduce(state: AppState, event: LiveEvent): Partial<AppState> {
  const channel = event.channel ?? "";
  const message = event.message;
  switch (event.type) {
    case "message":
      return message ? { ...putMessage(state, channel, message), ...countNew(state, channel, message) } : {};
    case "ephemeral":
      // A click may be answered by a private message instead of a change; then nothing is waited for any more.
      return message
        ? { ...putMessage(state, channel, { thread_ts: event.thread_ts, ...message, ephemeral: true }), pending: {} }
        : {};
    case "message_changed":
      return message ? { ...putMessage(state, channel, message), ...settle(state, message.ts) } : {};
    case "message_deleted":
      return dropMessage(state, channel, event.ts ?? message?.ts ?? "", message && isReply(message) ? message.thread_ts : undefined);
    case "reaction":
      return message ? putMessage(state, channel, message) : putReactions(state, event);
    case "view_opened":
    case "view_updated":
    case "view_pushed":
    case "view_closed":
      return putView(state, event);
    case "home_updated":
      return event.view ? { home: event.view, ...settle(state, event.view.id) } : {};
    case "bot":
      return {
        online: event.online ?? (event.connections ?? 0) > 0,
        starting: state.starting && !(event.online ?? (event.connections ?? 0) > 0),
      };
    case "session_status":
      return putSession(state, event);
    case "suggested_prompts": {
      const key = threadKey(channel, event.thread_ts ?? "");
      return { suggested: { ...state.suggested, [key]: { title: event.title, prompts: event.prompts ?? [] } } };
    }
    case "unread":
      return putUnread(state, event);
    default:
      return {};
  }
}

const recordings = new Set<LiveEvent[]>();

export function applyEvent(event: LiveEvent): void {
  for (const recording of recordings) recording.push(event);
  store.set((state) => reduce(state, event));
}

/**
 * Fetches something and puts it into the state without losing what happened meanwhile: live events that came during the
 * fetch are applied once more on top, because the answer may be older or newer than each of them.
 */
export async function fetchOver<T>(fetch: () => Promise<T>, put: (fetched: T) => void): Promise<T> {
  const recording: LiveEvent[] = [];
  recordings.add(recording);
  try {
    const fetched = await fetch();
    put(fetched);
    for (const event of recording) {
      store.set((state) => {
        // A counter would count the event twice.
        const { unread: _unread, mentions: _mentions, ...facts } = reduce(state, event);
        return facts;
      });
    }
    return fetched;
  } finally {
    recordings.delete(recording);
  }
}
