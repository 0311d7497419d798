import { ApiError, api } from "./api";
import { applyEvent, fetchOver, mentionsUser } from "./events";
import { LiveSocket } from "./live";
import { readPlace, remembered, writePlace } from "./place";
import { findChannel, imPeer, isIm, store, threadKey } from "./store";
import type { LiveEvent, Obj, State, User } from "./types";

const PENDING_MS = 5000;
const UNREACHABLE = "Slack could not reach the app. Try again.";

let sockets: LiveSocket[] = [];
let starts = 0;

const meId = (state: State): string => (typeof state.me === "string" ? state.me : state.me.id);
export const people = (users: User[]): User[] => users.filter((user) => !user.is_bot && !user.is_stranger);

function adopt(state: State): void {
  const sessions = Object.fromEntries((state.sessions ?? []).map((s) => [threadKey(s.channel, s.thread_ts), s]));
  store.set((old) => ({
    boot: state,
    me: meId(state),
    online: state.bot.online,
    unread: state.unread,
    mentions: { ...old.mentions, ...state.mentions },
    sessions: { ...old.sessions, ...sessions },
    views: state.views ?? old.views,
    failure: null,
  }));
}

function firstChannel(state: State): string {
  const place = readPlace();
  const known = (id: string | undefined): boolean => state.channels.some((channel) => channel.id === id);
  if (place.channel && known(place.channel)) return place.channel;
  const prompted = state.scene.prompts?.[0]?.channel;
  return (known(prompted) ? prompted : state.channels[0]?.id) ?? "";
}

async function loadState(me: string): Promise<State> {
  return fetchOver(() => api.state(me), adopt);
}

/** Fetches again everything on screen; used after a lost connection, because missed events are not replayed. */
async function refetch(): Promise<void> {
  const { me, channel, thread } = store.get();
  await loadState(me);
  store.set({ messages: {}, threads: {} });
  await Promise.all([loadChannel(channel), thread ? loadThread(channel, thread) : Promise.resolve()]);
}

function watchOther(user: User): LiveSocket {
  return new LiveSocket(user.id, (event: LiveEvent) => {
    const direct = event.channel?.startsWith("D") && event.message?.user !== user.id;
    const wanted = event.type === "ephemeral" || (event.type === "message" && (direct || mentionsUser(event.message, user.id)));
    if (wanted) store.set((s) => ({ others: { ...s.others, [user.id]: (s.others[user.id] ?? 0) + 1 } }));
  });
}

/** The state for a person; a tab that remembers somebody of another scene becomes that scene's first person. */
async function stateFor(user: string): Promise<State> {
  try {
    return await api.state(user);
  } catch (error) {
    if (user && error instanceof ApiError && error.code === "user_not_found") return api.state("");
    throw error;
  }
}

export async function start(user: string): Promise<void> {
  // Whoever chooses another person meanwhile sees that person, whichever answer comes first.
  starts += 1;
  const count = starts;
  for (const socket of sockets) socket.close();
  sockets = [];
  try {
    const me = meId(await stateFor(user || remembered()));
    if (count !== starts) return;
    const mine = new LiveSocket(
      me,
      applyEvent,
      (again) => {
        store.set({ link: "open" });
        if (again) void refetch().catch(() => undefined);
      },
      () => store.set({ link: "lost" }),
    );
    sockets = [mine];
    await mine.ready;
    if (count !== starts) return;
    store.set({ messages: {}, threads: {}, views: [], home: null, pending: {}, refused: {}, sessions: {}, mentions: {} });
    const state = await loadState(me);
    if (count !== starts) return;
    sockets.push(...people(state.users).filter((other) => other.id !== me).map(watchOther));
    const place = readPlace();
    const channel = firstChannel(state);
    await openChannel(channel, channel === place.channel ? (place.thread ?? undefined) : undefined);
    store.set((s) => ({ others: { ...s.others, [me]: 0 }, target: place.target }));
  } catch (error) {
    if (count !== starts) return;
    store.set({ failure: error instanceof ApiError ? error.code : "unreachable" });
    window.setTimeout(() => void start(user), 1000);
  }
}

export async function loadChannel(channel: string): Promise<void> {
  await fetchOver(
    () => api.messages(store.get().me, channel),
    ({ messages }) => store.set((s) => ({ messages: { ...s.messages, [channel]: messages } })),
  );
}

export async function loadThread(channel: string, thread: string): Promise<void> {
  await fetchOver(
    () => api.messages(store.get().me, channel, thread),
    ({ messages }) => store.set((s) => ({ threads: { ...s.threads, [threadKey(channel, thread)]: messages } })),
  );
}

async function loadHome(): Promise<void> {
  const { view } = await api.home(store.get().me);
  if (view) store.set({ home: view });
}

export function markRead(channel: string): void {
  store.set((s) => ({ unread: { ...s.unread, [channel]: 0 }, mentions: { ...s.mentions, [channel]: 0 } }));
}

export async function openChannel(channel: string, thread?: string): Promise<void> {
  const left = store.get().channel;
  // The server notes as read what it hands out; what came in live while looking is noted on leaving.
  if (left && left !== channel && findChannel(left)) void api.messages(store.get().me, left).catch(() => undefined);
  store.set({ channel, thread: thread ?? null, tab: "messages", drawer: false, target: null });
  markRead(channel);
  writePlace();
  const found = findChannel(channel);
  if (found && isIm(found) && imPeer(found)?.is_bot) void api.opened(store.get().me, "messages").catch(() => undefined);
  await Promise.all([loadChannel(channel), thread ? loadThread(channel, thread) : Promise.resolve()]);
}

export function openThread(ts: string): void {
  const { channel } = store.get();
  store.set({ thread: ts });
  writePlace();
  void loadThread(channel, ts).catch(report);
}

export function closeThread(): void {
  store.set({ thread: null });
  writePlace();
}

/** Goes where the address says, when somebody pastes a copied link into it. */
export function followPlace(): void {
  const { channel, thread, target } = readPlace();
  if (!channel || !findChannel(channel)) return;
  void openChannel(channel, thread ?? undefined).then(() => store.set({ target }), report);
}

export function showTab(tab: "messages" | "home"): void {
  store.set({ tab, thread: null });
  if (tab === "home") void loadHome().catch(report);
}

export async function switchPerson(user: string): Promise<void> {
  store.set({ drawer: false });
  await start(user);
}

export function say(notice: string): void {
  store.set({ notice });
  window.setTimeout(() => store.set((s) => (s.notice === notice ? { notice: null } : {})), PENDING_MS);
}

export function report(error: unknown): void {
  say(error instanceof ApiError ? `That did not work (${error.code}).` : "That did not work. Is Local Slack still running?");
}

export const actionKey = (surface: string, action: Obj): string =>
  `${surface}|${String(action.block_id)}|${String(action.action_id)}`;

export interface Surface {
  /** Message ts or view id. */
  id: string;
  kind: "message" | "view";
  channel?: string;
}

function forget(field: "pending" | "refused", key: string): void {
  store.set((s) => {
    const { [key]: _gone, ...rest } = s[field] as Record<string, never>;
    return { [field]: rest };
  });
}

/** Sends one block action; the element looks busy until its message or view changes, at most five seconds. */
export async function act(surface: Surface, action: Obj, values: Obj): Promise<void> {
  const key = actionKey(surface.id, action);
  const { me } = store.get();
  forget("refused", key);
  store.set((s) => ({ pending: { ...s.pending, [key]: true } }));
  window.setTimeout(() => forget("pending", key), PENDING_MS);
  const place =
    surface.kind === "view" ? { view_id: surface.id } : { channel: surface.channel, message_ts: surface.id };
  try {
    await api.action({ user: me, ...place, action, state: { values } });
  } catch {
    forget("pending", key);
    store.set((s) => ({ refused: { ...s.refused, [key]: UNREACHABLE } }));
    window.setTimeout(() => forget("refused", key), PENDING_MS);
  }
}

export async function closeView(viewId: string): Promise<void> {
  store.set((s) => ({ views: s.views.filter((view) => view.id !== viewId) }));
  await api.closeView(store.get().me, viewId).catch(report);
}

export async function controlBot(command: "kill" | "start"): Promise<void> {
  try {
    // A started process is online once its socket is: the live event says so, and clicks before it would fail.
    if (command === "start") store.set({ starting: true });
    const { online } = await api.bot(command);
    if (!online) store.set({ online, starting: false });
  } catch (error) {
    store.set({ starting: false });
    report(error);
  }
}
