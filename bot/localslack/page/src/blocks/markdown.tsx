import { marked, type Token, type Tokens } from "marked";
import type { ReactNode } from "react";
import { inline as mrkdwnInline } from "./mrkdwn";
import { SafeLink } from "./mention";

const MENTION = /(<[@#!][^<>\n]+>|:[a-z0-9_+'-]+:)/;
const ENTITIES: Record<string, string> = { "&lt;": "<", "&gt;": ">", "&amp;": "&", "&quot;": '"', "&#39;": "'" };

const decode = (text: string): string => text.replace(/&(?:lt|gt|amp|quot|#39);/g, (found) => ENTITIES[found] ?? found);

/** Text of a Markdown token: only mentions and emoji names still mean something in it. */
function words(text: string, key: string | number): ReactNode {
  const parts = decode(text).split(MENTION);
  return <span key={key}>{parts.map((part, i) => (i % 2 === 1 ? mrkdwnInline(part) : part))}</span>;
}

function inlineToken(token: Token, key: number): ReactNode {
  switch (token.type) {
    case "strong":
      return <strong key={key}>{inlines(token.tokens)}</strong>;
    case "em":
      return <em key={key}>{inlines(token.tokens)}</em>;
    case "del":
      return <del key={key}>{inlines(token.tokens)}</del>;
    case "codespan":
      return <code key={key}>{decode((token as Tokens.Codespan).text)}</code>;
    case "br":
      return <br key={key} />;
    case "link":
      return (
        <SafeLink key={key} href={(token as Tokens.Link).href}>
          {inlines(token.tokens)}
        </SafeLink>
      );
    case "image": {
      const image = token as Tokens.Image;
      return (
        <SafeLink key={key} href={image.href}>
          {image.text || image.href}
        </SafeLink>
      );
    }
    case "html":
      return words(token.raw, key);
    default: {
      const text = token as Tokens.Text;
      return text.tokens ? <span key={key}>{inlines(text.tokens)}</span> : words(text.text, key);
    }
  }
}

const inlines = (tokens: Token[] | undefined): ReactNode[] => (tokens ?? []).map(inlineToken);

function list(token: Tokens.List, key: number): ReactNode {
  const items = token.items.map((item, index) => (
    <li key={index} className={item.task ? "task-item" : undefined}>
      {item.task ? <input type="checkbox" checked={item.checked ?? false} readOnly tabIndex={-1} aria-label="Task" /> : null}
      {item.tokens.filter((child) => child.type !== "checkbox").map(blockToken)}
    </li>
  ));
  return token.ordered ? (
    <ol key={key} start={Number(token.start) || 1}>
      {items}
    </ol>
  ) : (
    <ul key={key}>{items}</ul>
  );
}

function table(token: Tokens.Table, key: number): ReactNode {
  const align = (index: number) => ({ textAlign: token.align[index] ?? ("left" as const) });
  return (
    <div className="table-scroll" key={key}>
      <table>
        <thead>
          <tr>
            {token.header.map((cell, index) => (
              <th key={index} style={align(index)}>
                {inlines(cell.tokens)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {token.rows.map((row, at) => (
            <tr key={at}>
              {row.map((cell, index) => (
                <td key={index} style={align(index)}>
                  {inlines(cell.tokens)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function blockToken(token: Token, key: number): ReactNode {
  switch (token.type) {
    case "space":
    case "def":
      return null;
    case "heading":
      return (
        <div key={key} className={`md-heading md-h${(token as Tokens.Heading).depth}`} role="heading" aria-level={Math.min((token as Tokens.Heading).depth + 1, 6)}>
          {inlines(token.tokens)}
        </div>
      );
    case "code":
      return <pre key={key}>{(token as Tokens.Code).text}</pre>;
    case "blockquote":
      return <blockquote key={key}>{(token.tokens ?? []).map(blockToken)}</blockquote>;
    case "list":
      return list(token as Tokens.List, key);
    case "table":
      return table(token as Tokens.Table, key);
    case "hr":
      return <hr key={key} />;
    case "paragraph":
      return <p key={key}>{inlines(token.tokens)}</p>;
    default:
      return inlineToken(token, key);
  }
}

/** Slack's `markdown` block: real Markdown (GFM), rendered without any HTML of its own. */
export function Markdown({ text }: { text: string }): ReactNode {
  return <div className="markdown">{marked.lexer(text, { gfm: true, breaks: true }).map(blockToken)}</div>;
}
