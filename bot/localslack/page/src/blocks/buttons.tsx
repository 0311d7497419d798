import { type ReactNode, useCallback, useRef, useState } from "react";
import { Icon } from "../ui/icons";
import { giveBack, moveFocus, placed, useDismiss } from "../ui/popover";
import { useApp } from "../store";
import { asList, asObj, asText, plain, type Obj } from "../types";
import { useConfirm } from "./confirm";
import { useWire, type Wire } from "./surface";
import { Text } from "./text";

export function Refusal({ wire }: { wire: Wire }): ReactNode {
  if (!wire.refused) return null;
  return (
    <span role="alert" className="refusal">
      {wire.refused}
    </span>
  );
}

export function ButtonElement({ element }: { element: Obj }): ReactNode {
  const wire = useWire(element);
  const me = useApp((s) => s.me);
  const [ask, dialog] = useConfirm(element.confirm);
  const visible = element.visible_to_user_ids;
  if (Array.isArray(visible) && !visible.includes(me)) return null;
  const style = element.style === "primary" ? "btn-primary" : element.style === "danger" ? "btn-danger" : "";
  const press = (): void => {
    const url = asText(element.url);
    if (/^https?:/.test(url)) window.open(url, "_blank", "noopener");
    ask(() => wire.send({ text: element.text, value: element.value, style: element.style }));
  };
  return (
    <span className="element">
      <button
        type="button"
        className={`btn ${style} ${wire.busy ? "is-busy" : ""}`}
        aria-disabled={wire.busy}
        aria-busy={wire.busy}
        aria-label={asText(element.accessibility_label) || undefined}
        data-action={asText(element.action_id)}
        onClick={press}
      >
        <span className="btn-text">
          <Text value={element.text} />
        </span>
        {element.url ? <Icon name="external" /> : null}
      </button>
      <Refusal wire={wire} />
      {dialog}
    </span>
  );
}

export function OverflowElement({ element }: { element: Obj }): ReactNode {
  const wire = useWire(element);
  const [ask, dialog] = useConfirm(element.confirm);
  const [open, setOpen] = useState(false);
  const box = useRef<HTMLSpanElement>(null);
  const close = useCallback(() => setOpen(false), []);
  useDismiss(box, open, close);
  const pick = (option: Obj): void => {
    close();
    giveBack(box.current);
    const url = asText(option.url);
    if (/^https?:/.test(url)) window.open(url, "_blank", "noopener");
    ask(() => wire.send({ selected_option: option }));
  };
  return (
    <span className="element" ref={box}>
      <button
        type="button"
        className="btn btn-square"
        aria-haspopup="menu"
        aria-expanded={open}
        aria-label="More options"
        data-action={asText(element.action_id)}
        aria-disabled={wire.busy}
        onClick={() => setOpen(!open)}
      >
        <Icon name="more" />
      </button>
      {open ? (
        <div role="menu" className="menu" ref={placed} onKeyDown={moveFocus}>
          {asList(element.options).map((option, index) => (
            <button key={index} type="button" role="menuitem" autoFocus={index === 0} onClick={() => pick(option)}>
              <Text value={option.text} />
              {option.description ? <small>{plain(option.description)}</small> : null}
            </button>
          ))}
        </div>
      ) : null}
      <Refusal wire={wire} />
      {dialog}
    </span>
  );
}

/** `feedback_buttons` and `icon_button` of a `context_actions` block. */
export function FeedbackElement({ element }: { element: Obj }): ReactNode {
  const wire = useWire(element);
  const [chosen, setChosen] = useState<string | null>(null);
  const one = (button: Obj | undefined, icon: "thumb-up" | "thumb-down"): ReactNode => {
    if (!button) return null;
    const value = asText(button.value);
    const send = (): void => {
      setChosen(value);
      wire.send({ text: button.text, value });
    };
    return (
      <button
        type="button"
        className={chosen === value ? "icon-btn is-on" : "icon-btn"}
        title={plain(button.text)}
        aria-label={asText(button.accessibility_label) || plain(button.text)}
        aria-pressed={chosen === value}
        aria-disabled={wire.busy}
        onClick={send}
      >
        <Icon name={icon} />
      </button>
    );
  };
  return (
    <span className="element">
      {one(asObj(element.positive_button), "thumb-up")}
      {one(asObj(element.negative_button), "thumb-down")}
      <Refusal wire={wire} />
    </span>
  );
}

export function IconButtonElement({ element }: { element: Obj }): ReactNode {
  const wire = useWire(element);
  const [ask, dialog] = useConfirm(element.confirm);
  const name = plain(element.text) || asText(element.icon);
  return (
    <span className="element">
      <button
        type="button"
        className="icon-btn"
        title={name}
        aria-label={asText(element.accessibility_label) || name}
        aria-disabled={wire.busy}
        onClick={() => ask(() => wire.send({ value: element.value, text: element.text }))}
      >
        <Icon name={element.icon === "trash" ? "trash" : "more"} />
      </button>
      <Refusal wire={wire} />
      {dialog}
    </span>
  );
}
