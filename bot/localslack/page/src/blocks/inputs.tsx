import { type ReactNode, useState } from "react";
import { api } from "../api";
import { report } from "../session";
import { store } from "../store";
import { asObj, asText, plain, type Json, type Obj } from "../types";
import { Refusal } from "./buttons";
import { useEntered, useWire } from "./surface";

const limit = (value: Json | undefined): number | undefined => (typeof value === "number" ? value : undefined);

/** One-line and many-line text, and the number, email and URL inputs. */
export function TextInput({ element }: { element: Obj }): ReactNode {
  const wire = useWire(element);
  const [value, setValue] = useEntered<Json>(element, wire, "value", asText(element.initial_value) || null);
  const dispatch = asObj(element.dispatch_action_config)?.trigger_actions_on;
  const triggers = Array.isArray(dispatch) ? dispatch : ["on_enter_pressed"];
  const enter = (text: string): void => {
    const next = text === "" ? null : text;
    setValue(next);
    wire.keep({ value: next });
    if (triggers.includes("on_character_entered")) wire.change({ value: next });
  };
  const props = {
    value: asText(value ?? ""),
    placeholder: plain(element.placeholder),
    maxLength: limit(element.max_length),
    minLength: limit(element.min_length),
    "data-action": asText(element.action_id),
    className: "text-field",
    ...(element.focus_on_load ? { "data-autofocus": true } : {}),
  };
  if (element.multiline === true || element.type === "rich_text_input")
    return <textarea {...props} rows={4} onChange={(event) => enter(event.target.value)} />;
  const types: Record<string, string> = { email_text_input: "email", url_text_input: "url" };
  return (
    <>
      <input
        {...props}
        type={types[asText(element.type)] ?? "text"}
        inputMode={element.type === "number_input" ? "decimal" : undefined}
        onChange={(event) => enter(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter" && triggers.includes("on_enter_pressed")) wire.change({ value });
        }}
      />
      <Refusal wire={wire} />
    </>
  );
}

const TIME_FIELDS: Record<string, { field: string; input: string; initial: string }> = {
  datepicker: { field: "selected_date", input: "date", initial: "initial_date" },
  timepicker: { field: "selected_time", input: "time", initial: "initial_time" },
  datetimepicker: { field: "selected_date_time", input: "datetime-local", initial: "initial_date_time" },
};

/** Date, time and both; the last one travels as a Unix time. */
export function TimeInput({ element }: { element: Obj }): ReactNode {
  const wire = useWire(element);
  const kind = TIME_FIELDS[asText(element.type)] ?? { field: "selected_date", input: "date", initial: "initial_date" };
  const [value, setValue] = useEntered<Json>(element, wire, kind.field, element[kind.initial] ?? null);
  const both = kind.input === "datetime-local";
  const local = (unix: Json): string => {
    if (typeof unix !== "number") return "";
    const date = new Date(unix * 1000 - new Date(unix * 1000).getTimezoneOffset() * 60_000);
    return date.toISOString().slice(0, 16);
  };
  const enter = (text: string): void => {
    const next = text === "" ? null : both ? Math.floor(new Date(text).getTime() / 1000) : text;
    setValue(next);
    wire.change({ [kind.field]: next });
  };
  return (
    <span className="element">
      <input
        type={kind.input}
        className="text-field text-field-short"
        aria-label={plain(element.placeholder) || kind.input}
        data-action={asText(element.action_id)}
        disabled={wire.busy}
        value={both ? local(value) : asText(value ?? "")}
        onChange={(event) => enter(event.target.value)}
      />
      <Refusal wire={wire} />
    </span>
  );
}

export function FileInput({ element }: { element: Obj }): ReactNode {
  const wire = useWire(element);
  const [names, setNames] = useState<string[]>([]);
  const kinds = Array.isArray(element.filetypes) ? element.filetypes.map((kind) => `.${asText(kind)}`).join(",") : undefined;
  const most = limit(element.max_files) ?? 10;
  const choose = async (list: FileList | null): Promise<void> => {
    const files = [...(list ?? [])].slice(0, most);
    try {
      const stored = await Promise.all(files.map((file) => api.upload(store.get().me, file)));
      setNames(stored.map((file) => file.name));
      wire.change({ files: stored.map((file) => ({ id: file.file_id, name: file.name, mimetype: file.mimetype, size: file.size })) });
    } catch (error) {
      report(error);
    }
  };
  return (
    <span className="file-input">
      <input
        type="file"
        multiple={most > 1}
        accept={kinds}
        data-action={asText(element.action_id)}
        onChange={(event) => void choose(event.target.files)}
      />
      {names.length > 0 ? <small>{names.join(", ")}</small> : null}
    </span>
  );
}
