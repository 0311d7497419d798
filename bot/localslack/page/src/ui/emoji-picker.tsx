import { type ReactNode, useLayoutEffect, useRef, useState } from "react";
import { COMMON, emojiNames, emojiOf } from "../blocks/emoji";
import { placed, useDismiss } from "./popover";

const MOST = 72;
const POPULAR =
  "+1 -1 eyes white_check_mark x heart tada rocket raised_hands clap pray fire thinking_face joy smile slightly_smiling_face sweat_smile cry open_mouth wave ok_hand muscle bulb bug wrench hammer package chart_with_upwards_trend chart_with_downwards_trend warning rotating_light hourglass lock unlock coffee cake star zap question exclamation heavy_plus_sign recycle ship anchor".split(
    " ",
  );

/** A small emoji grid with a search field. */
export function EmojiPicker({ pick, close }: { pick: (name: string) => void; close: () => void }): ReactNode {
  const [query, setQuery] = useState("");
  const box = useRef<HTMLDivElement>(null);
  useDismiss(box, true, close);
  useLayoutEffect(() => placed(box.current), []);
  const wanted = query.trim().toLowerCase().replace(/^:|:$/g, "");
  const found = wanted ? emojiNames.filter((name) => name.includes(wanted)).slice(0, MOST) : [...new Set([...COMMON, ...POPULAR])];
  return (
    <div className="emoji-picker" role="dialog" aria-label="Emoji" ref={box}>
      <input
        autoFocus
        className="text-field"
        placeholder="Search emoji"
        aria-label="Search emoji"
        value={query}
        onChange={(event) => setQuery(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter" && found[0]) pick(found[0]);
        }}
      />
      <div className="emoji-grid">
        {found.map((name) => (
          <button key={name} type="button" title={`:${name}:`} aria-label={name} onClick={() => pick(name)}>
            {emojiOf(name)}
          </button>
        ))}
      </div>
    </div>
  );
}
