import type { Message, Obj, SlackFile, State, View } from "./types";

const ROOT = "/_local/api/";

/** The server refused a request, or could not be reached; `code` is Slack's error word where there is one. */
export class ApiError extends Error {
  constructor(readonly code: string) {
    super(code);
  }
}

type Reply = { ok?: boolean; error?: string };

async function read<T>(response: Response): Promise<T> {
  let body: (T & Reply) | null = null;
  try {
    body = (await response.json()) as T & Reply;
  } catch {
    throw new ApiError(`http_${response.status}`);
  }
  if (!response.ok || body.ok === false) throw new ApiError(body.error ?? `http_${response.status}`);
  return body;
}

async function get<T>(path: string, query: Record<string, string>): Promise<T> {
  return read<T>(await fetch(`${ROOT}${path}?${new URLSearchParams(query)}`));
}

async function post<T>(path: string, body: object): Promise<T> {
  return read<T>(
    await fetch(ROOT + path, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    }),
  );
}

export interface Upload {
  file_id: string;
  name: string;
  mimetype: string;
  size: number;
}

export interface Submitted {
  ok?: boolean;
  errors?: Record<string, string>;
  closed?: boolean;
}

export const api = {
  state: (user: string) => get<State>("state", user ? { user } : {}),
  messages: (user: string, channel: string, thread?: string) =>
    get<{ messages: Message[] }>("messages", thread ? { user, channel, thread_ts: thread } : { user, channel }),
  home: (user: string) => get<{ view: View | null }>("home", { user }),
  send: (body: { user: string; channel: string; thread_ts?: string; text: string; file_ids?: string[] }) =>
    post<{ ts?: string; message?: Message }>("send", body),
  edit: (body: { user: string; channel: string; ts: string; text: string }) => post("edit", body),
  remove: (body: { user: string; channel: string; ts: string }) => post("delete", body),
  react: (body: { user: string; channel: string; ts: string; name: string; remove?: boolean }) => post("react", body),
  action: (body: object) => post("action", body),
  submit: async (user: string, viewId: string, values: Obj): Promise<Submitted> => {
    const response = await fetch(`${ROOT}view_submit`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ user, view_id: viewId, state: { values } }),
    });
    const body = (await response.json().catch(() => null)) as (Submitted & Reply) | null;
    if (body?.errors && Object.keys(body.errors).length > 0) return body;
    if (!body || !response.ok || body.ok === false) throw new ApiError(body?.error ?? `http_${response.status}`);
    return body;
  },
  closeView: (user: string, viewId: string) => post("view_close", { user, view_id: viewId }),
  slash: (body: { user: string; channel: string; thread_ts?: string; command: string; text: string }) =>
    post<{ text?: string }>("slash", body),
  shortcut: (body: { user: string; callback_id: string; channel?: string; message_ts?: string }) =>
    post("shortcut", body),
  stop: (body: { user: string; channel: string; thread_ts: string }) => post("stop", body),
  opened: (user: string, tab: "messages" | "home") => post("opened", { user, tab }),
  bot: (command: "kill" | "start") => post<{ online: boolean }>("bot", { command }),
  upload: async (user: string, file: File): Promise<Upload> => {
    const form = new FormData();
    form.append("user", user);
    form.append("file", file, file.name || "pasted.png");
    return read<Upload>(await fetch(`${ROOT}upload`, { method: "POST", body: form }));
  },
};

/** Address of a file for an `<img>` or a download, with the person it is shown to (Slack uses a cookie). */
export function fileUrl(file: SlackFile, user: string): string {
  const raw = file.url_private ?? file.url_private_download ?? `/files/${file.id}/${encodeURIComponent(file.name ?? "file")}`;
  return withUser(raw, user);
}

/** Address with the acting person added where it points at this server's own files; others stay as they are. */
export function withUser(raw: string, user: string): string {
  const url = new URL(raw, location.href);
  if (!url.pathname.startsWith("/files/")) return raw;
  // The bot may know this server under another host name (localhost, 127.0.0.1); the page's own always works.
  return `${url.pathname}?user=${encodeURIComponent(user)}`;
}
