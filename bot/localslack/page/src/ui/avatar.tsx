import type { ReactNode } from "react";
import { displayName } from "../store";
import type { User } from "../types";

const COLORS = ["#c2456b", "#2a7f9e", "#6a4fb3", "#b8691b", "#2f855a", "#ad3fa4", "#3f6ad8"];

function colorOf(user: User): string {
  if (user.color) return user.color.startsWith("#") ? user.color : `#${user.color}`;
  let sum = 0;
  for (const letter of user.id) sum = (sum * 31 + letter.charCodeAt(0)) % 9973;
  return COLORS[sum % COLORS.length] ?? "#3f6ad8";
}

/** Slack's rounded square: the initial of a person, or the rail mark of an app. */
export function Avatar({ user, size = 36, dot }: { user: User | undefined; size?: number; dot?: boolean }): ReactNode {
  const name = displayName(user) || "?";
  const style = { width: size, height: size, fontSize: size * 0.45, background: user?.is_bot ? undefined : user && colorOf(user) };
  return (
    <span className={user?.is_bot ? "avatar avatar-bot" : "avatar"} style={style} aria-hidden="true">
      {user?.is_bot ? (
        <svg viewBox="0 0 24 24">
          <path d="M7 4v16M17 4v16M4 8.5h16M4 15.5h16" />
        </svg>
      ) : (
        name.slice(0, 1).toUpperCase()
      )}
      {dot === undefined ? null : <span className={dot ? "presence is-on" : "presence"} />}
    </span>
  );
}
