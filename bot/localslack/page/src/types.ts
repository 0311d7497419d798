/** Wire shapes: Slack's own objects as the local server hands them out, reduced to what the page reads. */

export interface User {
  id: string;
  name: string;
  real_name?: string;
  is_bot?: boolean;
  is_restricted?: boolean;
  is_stranger?: boolean;
  tz?: string;
  color?: string;
}

export interface Channel {
  id: string;
  name?: string;
  topic?: string | { value?: string };
  members?: string[];
  is_im?: boolean;
  user?: string;
  bot_member?: boolean;
}

export interface Prompt {
  channel: string;
  title: string;
  message: string;
}

export interface Hint {
  when_action: string;
  text: string;
}

export interface Shortcut {
  callback_id: string;
  name: string;
  type?: string;
}

export interface Scene {
  banner?: { text: string; detail?: string } | null;
  prompts?: Prompt[];
  hints?: Hint[];
  has_control?: boolean;
  shortcuts?: Shortcut[];
  commands?: { command: string; description?: string; usage_hint?: string }[];
}

export interface BotState {
  online: boolean;
  connections?: number;
  user_id?: string;
  bot_id?: string;
  app_id?: string;
  name?: string;
}

export interface SessionStatus {
  channel: string;
  thread_ts: string;
  status: string | null;
  text?: string;
}

export interface UserGroup {
  id: string;
  handle: string;
  users: string[];
}

export interface State {
  team: { id: string; name: string; domain?: string };
  me: User | string;
  users: User[];
  channels: Channel[];
  user_groups?: UserGroup[];
  scene: Scene;
  bot: BotState;
  unread: Record<string, number>;
  mentions?: Record<string, number>;
  sessions?: SessionStatus[];
  views?: View[];
}

export interface SlackFile {
  id: string;
  name?: string;
  title?: string;
  mimetype?: string;
  filetype?: string;
  size?: number;
  url_private?: string;
  url_private_download?: string;
  original_w?: number;
  original_h?: number;
}

export interface Reaction {
  name: string;
  users?: string[];
  count: number;
}

/** A Block Kit object. Blocks arrive from any bot, so every field is read defensively. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json | undefined };
export type Obj = { [key: string]: Json | undefined };

export interface Message {
  ts: string;
  type?: string;
  subtype?: string;
  user?: string;
  bot_id?: string;
  username?: string;
  icons?: { emoji?: string; image_48?: string };
  text?: string;
  blocks?: Obj[];
  attachments?: Obj[];
  files?: SlackFile[];
  thread_ts?: string;
  reply_count?: number;
  reply_users?: string[];
  latest_reply?: string;
  reactions?: Reaction[];
  edited?: { user?: string; ts?: string };
  ephemeral?: boolean;
}

export interface View {
  id: string;
  type: "modal" | "home";
  title?: Obj;
  submit?: Obj;
  close?: Obj;
  blocks: Obj[];
  callback_id?: string;
  hash?: string;
  clear_on_close?: boolean;
}

export interface LiveEvent {
  type: string;
  channel?: string;
  thread_ts?: string;
  ts?: string;
  message?: Message;
  view?: View;
  view_id?: string;
  online?: boolean;
  connections?: number;
  status?: string;
  text?: string;
  unread?: Record<string, number> | number;
  count?: number;
  mentions?: Record<string, number>;
  reactions?: Reaction[];
  title?: string;
  prompts?: { title: string; message: string }[];
}

export const asObj = (value: Json | undefined): Obj | undefined =>
  value !== null && typeof value === "object" && !Array.isArray(value) ? value : undefined;

export const asList = (value: Json | undefined): Obj[] =>
  Array.isArray(value) ? value.map(asObj).filter((item): item is Obj => item !== undefined) : [];

export const asText = (value: Json | undefined): string =>
  typeof value === "string" ? value : typeof value === "number" ? String(value) : "";

/** Text of a text object (or of a bare string, which plan and task titles use). */
export const plain = (value: Json | undefined): string => asText(asObj(value)?.text) || asText(value);
