import { type ReactNode, useId } from "react";
import { asList, asObj, asText, type Json, type Obj } from "../types";
import { Refusal } from "./buttons";
import { useConfirm } from "./confirm";
import { useEntered, useWire } from "./surface";
import { Text } from "./text";

function OptionText({ option }: { option: Obj }): ReactNode {
  return (
    <span className="option-text">
      <Text value={option.text} />
      {option.description ? (
        <small>
          <Text value={option.description} />
        </small>
      ) : null}
    </span>
  );
}

export function RadioElement({ element }: { element: Obj }): ReactNode {
  const wire = useWire(element);
  const name = useId();
  const [ask, dialog] = useConfirm(element.confirm);
  const [value, setValue] = useEntered<Json>(element, wire, "selected_option", element.initial_option ?? null);
  const choose = (option: Obj): void =>
    ask(() => {
      setValue(option);
      wire.change({ selected_option: option });
    });
  return (
    <span className="element choices" role="radiogroup">
      {asList(element.options).map((option) => (
        <label key={asText(option.value)}>
          <input
            type="radio"
            name={name}
            disabled={wire.busy}
            checked={asObj(value)?.value === option.value}
            onChange={() => choose(option)}
          />
          <OptionText option={option} />
        </label>
      ))}
      <Refusal wire={wire} />
      {dialog}
    </span>
  );
}

export function CheckboxesElement({ element }: { element: Obj }): ReactNode {
  const wire = useWire(element);
  const [ask, dialog] = useConfirm(element.confirm);
  const [value, setValue] = useEntered<Json>(element, wire, "selected_options", element.initial_options ?? []);
  const chosen = asList(value);
  const has = (option: Obj): boolean => chosen.some((item) => item.value === option.value);
  const toggle = (option: Obj): void =>
    ask(() => {
      const next = has(option) ? chosen.filter((item) => item.value !== option.value) : [...chosen, option];
      setValue(next);
      wire.change({ selected_options: next });
    });
  return (
    <span className="element choices">
      {asList(element.options).map((option) => (
        <label key={asText(option.value)}>
          <input type="checkbox" disabled={wire.busy} checked={has(option)} onChange={() => toggle(option)} />
          <OptionText option={option} />
        </label>
      ))}
      <Refusal wire={wire} />
      {dialog}
    </span>
  );
}
