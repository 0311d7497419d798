import { type ReactNode, useContext, useMemo } from "react";
import { FileCard } from "../ui/files";
import { Icon } from "../ui/icons";
import { asList, asObj, asText, plain, type Obj } from "../types";
import { Alert, Card } from "./card";
import { Element } from "./element";
import { BlockImage, ImageBlock } from "./image";
import { Markdown } from "./markdown";
import { SafeLink } from "./mention";
import { Plan, TaskCard } from "./plan";
import { RichText } from "./rich-text";
import { SlotContext, SurfaceContext } from "./surface";
import { TableBlock } from "./table";
import { Text } from "./text";

function Section({ block }: { block: Obj }): ReactNode {
  const accessory = asObj(block.accessory);
  const fields = asList(block.fields);
  return (
    <div className="section">
      <div className="section-main">
        {block.text ? (
          <div className="section-text">
            <Text value={block.text} />
          </div>
        ) : null}
        {fields.length > 0 ? (
          <div className="fields">
            {fields.map((field, index) => (
              <div key={index}>
                <Text value={field} />
              </div>
            ))}
          </div>
        ) : null}
      </div>
      {accessory ? (
        <div className={/^(checkboxes|radio_buttons)$/.test(asText(accessory.type)) ? "accessory accessory-below" : "accessory"}>
          <Element element={accessory} />
        </div>
      ) : null}
    </div>
  );
}

function Elements({ block, className }: { block: Obj; className: string }): ReactNode {
  return (
    <div className={className}>
      {asList(block.elements).map((element, index) => (
        <Element key={asText(element.action_id) || index} element={element} />
      ))}
    </div>
  );
}

function ContextBlock({ block }: { block: Obj }): ReactNode {
  return (
    <div className="context">
      {asList(block.elements).map((element, index) =>
        element.type === "image" ? (
          <BlockImage key={index} object={element} className="context-image" />
        ) : (
          <span key={index}>
            <Text value={element} />
          </span>
        ),
      )}
    </div>
  );
}

function InputBlock({ block }: { block: Obj }): ReactNode {
  const surface = useContext(SurfaceContext);
  const blockId = asText(block.block_id);
  const element = asObj(block.element) ?? {};
  const error = surface?.errors[blockId];
  const slot = useMemo(() => ({ blockId, sends: block.dispatch_action === true }), [blockId, block.dispatch_action]);
  const group = /^(checkboxes|radio_buttons)$/.test(asText(element.type));
  const Tag = group ? "fieldset" : "label";
  const Label = group ? "legend" : "span";
  return (
    <SlotContext value={slot}>
      <Tag className={error ? "input has-error" : "input"} data-block={blockId}>
        <Label className="input-label">
          <Text value={block.label} />
          {block.optional ? <small> (optional)</small> : null}
        </Label>
        <Element element={element} />
        {error ? (
          <span className="input-error" role="alert">
            <Icon name="warning" /> {error}
          </span>
        ) : null}
        {block.hint ? (
          <span className="input-hint">
            <Text value={block.hint} />
          </span>
        ) : null}
      </Tag>
    </SlotContext>
  );
}

function Container({ block }: { block: Obj }): ReactNode {
  return (
    <details className="container" open={block.is_collapsed !== true}>
      <summary>{plain(block.title)}</summary>
      <Blocks blocks={asList(block.child_blocks ?? block.elements ?? block.blocks)} />
    </details>
  );
}

function VideoBlock({ block }: { block: Obj }): ReactNode {
  return (
    <div className="card">
      <strong>
        <SafeLink href={asText(block.title_url) || asText(block.video_url)}>{plain(block.title)}</SafeLink>
      </strong>
      <div>{plain(block.description)}</div>
    </div>
  );
}

const RENDERERS: Record<string, (props: { block: Obj }) => ReactNode> = {
  section: Section,
  actions: ({ block }) => <Elements block={block} className="actions" />,
  context_actions: ({ block }) => <Elements block={block} className="context-actions" />,
  context: ContextBlock,
  header: ({ block }) => <h2 className={`header-block level-${Number(block.level ?? 1)}`}>{<Text value={block.text} />}</h2>,
  divider: () => <hr />,
  markdown: ({ block }) => <Markdown text={asText(block.text)} />,
  image: ImageBlock,
  rich_text: RichText,
  table: TableBlock,
  data_table: TableBlock,
  plan: Plan,
  task_card: TaskCard,
  input: InputBlock,
  card: Card,
  alert: Alert,
  carousel: ({ block }) => (
    <div className="carousel">
      {asList(block.elements ?? block.cards).map((card, index) => (
        <Card key={index} block={card} />
      ))}
    </div>
  ),
  container: Container,
  video: VideoBlock,
  file: ({ block }) => <FileCard file={{ id: asText(block.file_id) || asText(block.external_id), name: "File" }} />,
};

function Block({ block }: { block: Obj }): ReactNode {
  const blockId = asText(block.block_id);
  const slot = useMemo(() => ({ blockId, sends: true }), [blockId]);
  const Renderer = RENDERERS[asText(block.type)];
  return (
    <SlotContext value={slot}>
      <div className="block" data-type={asText(block.type)}>
        {Renderer ? <Renderer block={block} /> : <em className="unknown">{asText(block.type)} is not shown here</em>}
      </div>
    </SlotContext>
  );
}

/** Block Kit blocks inside the surface given by `SurfaceContext`. */
export function Blocks({ blocks }: { blocks: Obj[] }): ReactNode {
  return blocks.map((block, index) => <Block key={asText(block.block_id) || index} block={block} />);
}
