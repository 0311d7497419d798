import type { ReactNode } from "react";
import { slackDate } from "../format";
import { asList, asObj, asText, type Obj } from "../types";
import { Emoji, emojiOf } from "./emoji";
import { ChannelMention, GroupMention, SafeLink, UserMention } from "./mention";

function styled(node: ReactNode, style: Obj | undefined, key: number): ReactNode {
  let out = node;
  if (style?.code) out = <code>{out}</code>;
  if (style?.strike) out = <del>{out}</del>;
  if (style?.italic) out = <em>{out}</em>;
  if (style?.underline) out = <u>{out}</u>;
  if (style?.bold) out = <strong>{out}</strong>;
  return <span key={key}>{out}</span>;
}

function emojiNode(element: Obj): ReactNode {
  const name = asText(element.name);
  if (emojiOf(name)) return <Emoji name={name} />;
  const codes = asText(element.unicode).split("-").map((code) => Number.parseInt(code, 16));
  return codes.every((code) => code > 0) ? String.fromCodePoint(...codes) : `:${name}:`;
}

function content(element: Obj): ReactNode {
  switch (element.type) {
    case "text":
      return asText(element.text);
    case "link":
      return <SafeLink href={asText(element.url)}>{asText(element.text) || asText(element.url)}</SafeLink>;
    case "user":
      return <UserMention id={asText(element.user_id)} />;
    case "usergroup":
      return <GroupMention id={asText(element.usergroup_id)} />;
    case "channel":
      return <ChannelMention id={asText(element.channel_id)} />;
    case "broadcast":
      return <span className="mention mention-me">@{asText(element.range)}</span>;
    case "emoji":
      return emojiNode(element);
    case "date":
      return <time>{slackDate(Number(element.timestamp), asText(element.format) || "{date_pretty}")}</time>;
    case "color":
      return (
        <>
          <span className="color-dot" style={{ background: asText(element.value) }} />
          {asText(element.value)}
        </>
      );
    default:
      return asText(element.text);
  }
}

const elements = (parent: Obj): ReactNode[] =>
  asList(parent.elements).map((element, key) => styled(content(element), asObj(element.style), key));

function part(element: Obj, key: number): ReactNode {
  switch (element.type) {
    case "rich_text_list": {
      const Tag = element.style === "ordered" ? "ol" : "ul";
      const start = Number(element.offset ?? 0) + 1;
      return (
        <Tag key={key} className={`indent-${Number(element.indent ?? 0)}`} {...(Tag === "ol" ? { start } : {})}>
          {asList(element.elements).map((item, index) => (
            <li key={index}>{elements(item)}</li>
          ))}
        </Tag>
      );
    }
    case "rich_text_preformatted":
      return <pre key={key}>{elements(element)}</pre>;
    case "rich_text_quote":
      return <blockquote key={key}>{elements(element)}</blockquote>;
    default:
      return (
        <div key={key} className="rich-section">
          {elements(element)}
        </div>
      );
  }
}

export function RichText({ block }: { block: Obj }): ReactNode {
  return <div className="rich-text">{asList(block.elements).map(part)}</div>;
}
