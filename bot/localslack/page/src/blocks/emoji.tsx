import { nameToEmoji } from "gemoji";
import type { ReactNode } from "react";

/** Slack's names where they differ from the common ones. */
const SLACK_NAMES: Record<string, string> = {
  thumbsup_all: "👍",
  white_check_mark: "✅",
  heavy_check_mark: "✔️",
  slightly_smiling_face: "🙂",
  thinking_face: "🤔",
  large_green_circle: "🟢",
  large_yellow_circle: "🟡",
  large_orange_circle: "🟠",
  large_red_square: "🟥",
  robot_face: "🤖",
  simple_smile: "🙂",
  hammer_and_wrench: "🛠️",
  double_vertical_bar: "⏸️",
  black_square_for_stop: "⏹️",
  warning: "⚠️",
  lock: "🔒",
  no_entry: "⛔",
};

export const COMMON = ["white_check_mark", "eyes", "raised_hands", "+1", "heart", "tada", "thinking_face", "rocket"];

const named: Record<string, string> = { ...nameToEmoji, ...SLACK_NAMES };

export const emojiNames: string[] = Object.keys(named);

export const emojiOf = (name: string): string | undefined => named[name.split("::")[0] ?? name];

export function Emoji({ name, large }: { name: string; large?: boolean }): ReactNode {
  const glyph = emojiOf(name);
  if (!glyph) return <>{`:${name}:`}</>;
  return (
    <span className={large ? "emoji emoji-large" : "emoji"} role="img" aria-label={`${name} emoji`} title={`:${name}:`}>
      {glyph}
    </span>
  );
}
