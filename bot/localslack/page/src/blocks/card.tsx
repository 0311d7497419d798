import type { ReactNode } from "react";
import { Icon, type IconName } from "../ui/icons";
import { asList, asObj, asText, type Obj } from "../types";
import { Element } from "./element";
import { BlockImage } from "./image";
import { Text } from "./text";

export function Card({ block }: { block: Obj }): ReactNode {
  const icon = asObj(block.icon);
  const hero = asObj(block.hero_image);
  const actions = asList(block.actions);
  return (
    <div className="card">
      {hero ? <BlockImage object={hero} className="card-hero" /> : null}
      <div className="card-body">
        {icon ? <BlockImage object={icon} className="card-icon" /> : null}
        <div>
          {block.title ? (
            <strong className="card-title">
              <Text value={block.title} />
            </strong>
          ) : null}
          {block.subtitle ? (
            <div className="card-subtitle">
              <Text value={block.subtitle} />
            </div>
          ) : null}
          {block.body ? (
            <div className="card-text">
              <Text value={block.body} />
            </div>
          ) : null}
          {block.subtext ? (
            <small>
              <Text value={block.subtext} />
            </small>
          ) : null}
        </div>
      </div>
      {actions.length > 0 ? (
        <div className="actions">
          {actions.map((action, index) => (
            <Element key={asText(action.action_id) || index} element={action} />
          ))}
        </div>
      ) : null}
    </div>
  );
}

const ALERT_ICONS: Record<string, IconName> = { warning: "warning", error: "warning", success: "check" };

export function Alert({ block }: { block: Obj }): ReactNode {
  const level = asText(block.level) || "default";
  return (
    <div className={`alert alert-${level}`} role={level === "error" ? "alert" : "note"}>
      <Icon name={ALERT_ICONS[level] ?? "info"} />
      <div>
        <Text value={block.text} />
      </div>
    </div>
  );
}
