import type { ReactNode } from "react";
import { Emoji, emojiOf } from "./emoji";
import { AngleToken, SafeLink, unescape } from "./mention";

const TOKEN = new RegExp(
  [
    "<([^<>\\n]+)>",
    "`([^`\\n]+)`",
    "(?<![\\w*])\\*(?=\\S)([^*\\n]+?)(?<=\\S)\\*(?![\\w*])",
    "(?<![\\w_])_(?=\\S)([^\\n]+?)(?<=\\S)_(?![\\w_])",
    "(?<![\\w~])~(?=\\S)([^~\\n]+?)(?<=\\S)~(?![\\w~])",
    ":([a-z0-9_+'-]+(?:::skin-tone-\\d)?):",
    "(https?://[^\\s<>|]*[^\\s<>|.,;:!?)\\]'\"*_~])",
  ].join("|"),
  "g",
);

function token(match: RegExpExecArray, key: number): ReactNode {
  const [whole, angle, code, bold, italic, strike, emoji, url] = match;
  if (angle !== undefined) return <AngleToken key={key} body={angle} />;
  if (code !== undefined) return <code key={key}>{unescape(code)}</code>;
  if (bold !== undefined) return <strong key={key}>{inline(bold)}</strong>;
  if (italic !== undefined) return <em key={key}>{inline(italic)}</em>;
  if (strike !== undefined) return <del key={key}>{inline(strike)}</del>;
  if (emoji !== undefined && emojiOf(emoji)) return <Emoji key={key} name={emoji} />;
  if (url !== undefined)
    return (
      <SafeLink key={key} href={unescape(url)}>
        {unescape(url)}
      </SafeLink>
    );
  return unescape(whole);
}

/** One line of mrkdwn as React nodes. */
export function inline(text: string): ReactNode[] {
  const nodes: ReactNode[] = [];
  let at = 0;
  for (const match of text.matchAll(new RegExp(TOKEN))) {
    if (match.index > at) nodes.push(unescape(text.slice(at, match.index)));
    nodes.push(token(match, match.index));
    at = match.index + match[0].length;
  }
  if (at < text.length) nodes.push(unescape(text.slice(at)));
  return nodes;
}

const QUOTE = /^(?:&gt;|>) ?/;
const BULLET = /^(\s*)[•◦▪] +/;

function Lines({ lines }: { lines: string[] }): ReactNode {
  return lines.map((line, index) => {
    const bullet = BULLET.exec(line);
    if (bullet) {
      return (
        <span className="bullet" key={index} style={{ marginLeft: `${(bullet[1]?.length ?? 0) * 0.5}em` }}>
          {inline(line.slice(bullet[0].length))}
        </span>
      );
    }
    const last = index === lines.length - 1;
    const gap = line.trim() === "" && !last ? <span className="para-gap" /> : last ? null : <br />;
    return (
      <span key={index}>
        {inline(line)}
        {gap}
      </span>
    );
  });
}

/** Splits prose into runs of quoted and plain lines. */
function prose(text: string, key: string): ReactNode[] {
  const runs: { quoted: boolean; lines: string[] }[] = [];
  for (const line of text.split("\n")) {
    const quoted = QUOTE.test(line);
    const run = runs.at(-1);
    const content = quoted ? line.replace(QUOTE, "") : line;
    if (run?.quoted === quoted) run.lines.push(content);
    else runs.push({ quoted, lines: [content] });
  }
  return runs.map((run, index) =>
    run.quoted ? (
      <blockquote key={`${key}.${index}`}>
        <Lines lines={run.lines} />
      </blockquote>
    ) : (
      <Lines key={`${key}.${index}`} lines={run.lines} />
    ),
  );
}

/** Slack's mrkdwn: code blocks first (nothing is parsed inside), then quotes, then inline marks. */
export function Mrkdwn({ text }: { text: string }): ReactNode {
  const parts = text.split(/```\n?/);
  // An odd count of fences leaves the last one open; Slack then shows it as typed.
  const closed = parts.length % 2 === 1;
  const nodes = parts.flatMap((part, index): ReactNode[] => {
    const isCode = index % 2 === 1 && (closed || index < parts.length - 1);
    if (isCode) return [<pre key={index}>{unescape(part.replace(/\n$/, "").replace(/<([^|>]+)(?:\|([^>]*))?>/g, "$1"))}</pre>];
    const typed = index % 2 === 1 ? `\`\`\`${part}` : part;
    const trimmed = index > 0 ? typed.replace(/^\n/, "") : typed;
    const shown = index < parts.length - 1 ? trimmed.replace(/\n$/, "") : trimmed;
    return shown === "" ? [] : prose(shown, String(index));
  });
  return <>{nodes}</>;
}

/** Plain text with emoji names replaced and Slack's three entities decoded. */
export function Plain({ text }: { text: string }): ReactNode {
  const parts = text.split(/:([a-z0-9_+'-]+):/);
  return parts.map((part, index) => {
    if (index % 2 === 0) return unescape(part);
    return emojiOf(part) ? <Emoji key={index} name={part} /> : `:${part}:`;
  });
}
