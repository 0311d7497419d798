import { type ReactNode, useState } from "react";
import { Icon } from "../ui/icons";
import { asList, asObj, asText, plain, type Json, type Obj } from "../types";
import { SafeLink } from "./mention";
import { RichText } from "./rich-text";
import { Text } from "./text";

const STATUS_LABEL: Record<string, string> = {
  pending: "Not started",
  in_progress: "In progress",
  complete: "Done",
  error: "Failed",
};

function StatusIcon({ status }: { status: string }): ReactNode {
  return (
    <span className={`task-status task-${status}`} role="img" aria-label={STATUS_LABEL[status] ?? status}>
      {status === "complete" ? <Icon name="check" /> : status === "error" ? "!" : null}
    </span>
  );
}

function Detail({ value }: { value: Json | undefined }): ReactNode {
  const object = asObj(value);
  if (object?.type === "rich_text") return <RichText block={object} />;
  return plain(value) ? <Text value={value} /> : null;
}

function Task({ task }: { task: Obj }): ReactNode {
  const status = asText(task.status) || "pending";
  const sources = asList(task.sources);
  const more = Boolean(task.details ?? task.output) || sources.length > 0;
  const [open, setOpen] = useState<boolean | null>(null);
  const shown = more && (open ?? status === "in_progress");
  const title = (
    <>
      <StatusIcon status={status} />
      <span className="task-title">{plain(task.title)}</span>
      {more ? <Icon name={shown ? "chevron-down" : "chevron-right"} /> : null}
    </>
  );
  return (
    <div className={`task is-${status}`}>
      {more ? (
        <button type="button" className="task-row" aria-expanded={shown} onClick={() => setOpen(!shown)}>
          {title}
        </button>
      ) : (
        <div className="task-row">{title}</div>
      )}
      {shown ? (
        <div className="task-more">
          <Detail value={task.details} />
          <Detail value={task.output} />
          {sources.length > 0 ? (
            <div className="task-sources">
              {sources.map((source, index) => (
                <SafeLink key={index} href={asText(source.url)}>
                  {asText(source.text) || asText(source.url)}
                </SafeLink>
              ))}
            </div>
          ) : null}
        </div>
      ) : null}
    </div>
  );
}

export function TaskCard({ block }: { block: Obj }): ReactNode {
  return (
    <div className="plan plan-single">
      <Task task={block} />
    </div>
  );
}

/** State of a plan, read from its tasks (the block's own `status` does nothing in Slack either). */
function planStatus(tasks: Obj[]): string {
  const all = tasks.map((task) => asText(task.status));
  if (all.includes("in_progress")) return "in_progress";
  if (all.length > 0 && all.every((status) => status === "complete")) return "complete";
  if (all.includes("error")) return "error";
  return "pending";
}

export function Plan({ block }: { block: Obj }): ReactNode {
  const [open, setOpen] = useState(true);
  const tasks = asList(block.tasks);
  const done = tasks.filter((task) => task.status === "complete").length;
  return (
    <div className="plan">
      <button type="button" className="plan-head" aria-expanded={open} onClick={() => setOpen(!open)}>
        <StatusIcon status={planStatus(tasks)} />
        <strong>{plain(block.title)}</strong>
        <span className="plan-count">
          {done} of {tasks.length}
        </span>
        <Icon name={open ? "chevron-down" : "chevron-right"} />
      </button>
      {open ? (
        <div className="plan-tasks">
          {tasks.map((task, index) => (
            <Task key={asText(task.task_id) || index} task={task} />
          ))}
        </div>
      ) : null}
    </div>
  );
}
