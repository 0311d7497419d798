import { type ReactNode, useCallback, useId, useRef, useState } from "react";
import { Icon } from "../ui/icons";
import { giveBack, placed, useDismiss } from "../ui/popover";
import { displayName, isIm, store } from "../store";
import { people } from "../session";
import { asList, asText, plain, type Json, type Obj } from "../types";
import { useConfirm } from "./confirm";
import { Refusal } from "./buttons";
import { useEntered, useWire } from "./surface";

interface Choice {
  label: string;
  description?: string;
  group?: string;
  /** What the payload carries: an option object, or an id. */
  payload: Json;
}

const optionChoice = (option: Obj, group?: string): Choice => ({
  label: plain(option.text),
  description: plain(option.description) || undefined,
  group,
  payload: option,
});

function choicesOf(element: Obj): Choice[] {
  const kind = asText(element.type).replace(/^multi_/, "");
  const boot = store.get().boot;
  if (kind === "users_select")
    return people(boot?.users ?? []).map((user) => ({ label: displayName(user), payload: user.id }));
  if (kind === "channels_select" || kind === "conversations_select")
    return (boot?.channels ?? []).filter((c) => !isIm(c)).map((c) => ({ label: `#${c.name}`, payload: c.id }));
  const groups = asList(element.option_groups);
  if (groups.length > 0)
    return groups.flatMap((group) => asList(group.options).map((option) => optionChoice(option, plain(group.label))));
  return asList(element.options).map((option) => optionChoice(option));
}

const FIELD: Record<string, string> = {
  users_select: "user",
  channels_select: "channel",
  conversations_select: "conversation",
};

/** Payload field and initial value of a select of any kind. */
function shape(element: Obj): { field: string; multi: boolean; initial: Json } {
  const type = asText(element.type);
  const multi = type.startsWith("multi_");
  const noun = FIELD[type.replace(/^multi_/, "")] ?? "option";
  const field = `selected_${noun}${multi ? "s" : ""}`;
  const initial = element[`initial_${noun}${multi ? "s" : ""}`] ?? (multi ? [] : null);
  return { field, multi, initial };
}

const same = (a: Json, b: Json): boolean =>
  a !== null && b !== null && typeof a === "object" && typeof b === "object" && "value" in a && "value" in b
    ? (a as Obj).value === (b as Obj).value
    : a === b;

export function SelectElement({ element }: { element: Obj }): ReactNode {
  const wire = useWire(element);
  const { field, multi, initial } = shape(element);
  const [value, setValue] = useEntered<Json>(element, wire, field, initial);
  const [ask, dialog] = useConfirm(element.confirm);
  const choices = choicesOf(element);
  const chosen = multi ? (Array.isArray(value) ? value : []) : value === null ? [] : [value];
  const apply = (next: Json): void =>
    ask(() => {
      setValue(next);
      wire.change({ [field]: next });
    });
  const toggle = (choice: Choice): void => {
    if (!multi) return apply(choice.payload);
    const has = chosen.some((item) => same(item, choice.payload));
    apply(has ? chosen.filter((item) => !same(item, choice.payload)) : [...chosen, choice.payload]);
  };
  return (
    <span className="element element-select">
      <Picker
        choices={choices}
        chosen={choices.filter((choice) => chosen.some((item) => same(item, choice.payload)))}
        multi={multi}
        placeholder={plain(element.placeholder) || "Select an option"}
        busy={wire.busy}
        action={asText(element.action_id)}
        pick={toggle}
      />
      <Refusal wire={wire} />
      {dialog}
    </span>
  );
}

interface PickerProps {
  choices: Choice[];
  chosen: Choice[];
  multi: boolean;
  placeholder: string;
  busy: boolean;
  action: string;
  pick: (choice: Choice) => void;
}

/** Slack's select: a field that opens a list with a filter, driven by mouse or arrow keys. */
function Picker({ choices, chosen, multi, placeholder, busy, action, pick }: PickerProps): ReactNode {
  const [open, setOpen] = useState(false);
  const [query, setQuery] = useState("");
  const [at, setAt] = useState(0);
  const box = useRef<HTMLSpanElement>(null);
  const listId = useId();
  const close = useCallback(() => {
    setOpen(false);
    setQuery("");
    setAt(0);
  }, []);
  useDismiss(box, open, close);
  const shown = choices.filter((choice) => choice.label.toLowerCase().includes(query.toLowerCase()));
  const take = (choice: Choice | undefined): void => {
    if (!choice) return;
    pick(choice);
    if (multi) return;
    close();
    giveBack(box.current);
  };
  const onKey = (event: React.KeyboardEvent): void => {
    if (event.key === "ArrowDown") setAt(Math.min(at + 1, shown.length - 1));
    else if (event.key === "ArrowUp") setAt(Math.max(at - 1, 0));
    else if (event.key === "Enter") take(shown[at]);
    else return;
    event.preventDefault();
  };
  const label = chosen.map((choice) => choice.label).join(", ");
  return (
    <span className="picker" ref={box}>
      <button
        type="button"
        className={`select-field ${chosen.length === 0 ? "is-empty" : ""}`}
        aria-haspopup="listbox"
        aria-expanded={open}
        data-action={action}
        aria-disabled={busy}
        onClick={() => setOpen(!open)}
      >
        <span>{label || placeholder}</span>
        <Icon name="chevron-down" />
      </button>
      {open ? (
        <span className="picker-list" ref={placed}>
          {choices.length > 5 || multi ? (
            <input
              autoFocus
              aria-label="Filter"
              aria-controls={listId}
              placeholder="Filter"
              value={query}
              onChange={(event) => {
                setQuery(event.target.value);
                setAt(0);
              }}
              onKeyDown={onKey}
            />
          ) : null}
          <span role="listbox" id={listId} aria-multiselectable={multi} tabIndex={-1} onKeyDown={onKey} ref={(el) => {
            if (choices.length <= 5 && !multi) el?.focus();
          }}>
            {shown.map((choice, index) => (
              <span key={index}>
                {choice.group && choice.group !== shown[index - 1]?.group ? <em className="picker-group">{choice.group}</em> : null}
                <button
                  type="button"
                  role="option"
                  tabIndex={-1}
                  aria-selected={chosen.includes(choice)}
                  className={index === at ? "is-at" : ""}
                  onPointerEnter={() => setAt(index)}
                  onClick={() => take(choice)}
                >
                  <span>{choice.label}</span>
                  {choice.description ? <small>{choice.description}</small> : null}
                  {chosen.includes(choice) ? <Icon name="check" /> : null}
                </button>
              </span>
            ))}
            {shown.length === 0 ? <em className="picker-none">No matches</em> : null}
          </span>
        </span>
      ) : null}
    </span>
  );
}
