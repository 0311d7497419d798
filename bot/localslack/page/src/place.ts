import { store } from "./store";

/** Where the page stands, in the address (`#/channel/thread?at=ts`) so that a copied link opens the same message. */
export interface Place {
  channel: string | null;
  thread: string | null;
  target: string | null;
}

const PERSON = "localslack.person";

export function readPlace(): Place {
  const [path = "", query = ""] = location.hash.replace(/^#\/?/, "").split("?");
  const [channel, thread] = path.split("/");
  return { channel: channel || null, thread: thread || null, target: new URLSearchParams(query).get("at") };
}

export function writePlace(): void {
  const { channel, thread, me } = store.get();
  const hash = thread ? `#/${channel}/${thread}` : `#/${channel}`;
  if (me) sessionStorage.setItem(PERSON, me);
  if (location.hash !== hash) history.replaceState(null, "", location.pathname + hash);
}

/** The person of this tab: `?user=` in the address wins, then what the tab last was. */
export const remembered = (): string =>
  new URLSearchParams(location.search).get("user") ?? sessionStorage.getItem(PERSON) ?? "";

export function linkTo(channel: string, ts: string, thread?: string): string {
  const path = thread && thread !== ts ? `${channel}/${thread}` : channel;
  return `${location.origin}${location.pathname}#/${path}?at=${ts}`;
}
