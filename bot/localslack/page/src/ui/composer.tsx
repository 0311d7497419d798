import { type ReactNode, useLayoutEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { api } from "../api";
import { toWire } from "../compose";
import { report, say } from "../session";
import { store } from "../store";
import { Avatar } from "./avatar";
import { EmojiPicker } from "./emoji-picker";
import { Icon } from "./icons";
import { queryAt, suggestionsFor, type Suggestion } from "./suggest";
import { Toolbar } from "./toolbar";
import { Drafts, useUploads } from "./uploads";

const TALLEST_PX = 240;

interface Props {
  channel: string;
  thread?: string;
  placeholder: string;
}

async function deliver(channel: string, thread: string | undefined, typed: string, fileIds: string[]): Promise<void> {
  const { me } = store.get();
  const place = { user: me, channel, ...(thread ? { thread_ts: thread } : {}) };
  const command = /^(\/[\w-]+)(?:\s+([\s\S]*))?$/.exec(typed.trim());
  if (command && fileIds.length === 0) {
    const answer = await api.slash({ ...place, command: command[1] ?? "", text: command[2] ?? "" });
    if (answer.text) say(answer.text);
    return;
  }
  await api.send({ ...place, text: toWire(typed), ...(fileIds.length > 0 ? { file_ids: fileIds } : {}) });
}

/** The message field: Enter sends, Shift+Enter breaks the line, @ # : / complete, files by button, drop or paste. */
export function Composer({ channel, thread, placeholder }: Props): ReactNode {
  const [typed, setTyped] = useState("");
  const [caret, setCaret] = useState(0);
  const [at, setAt] = useState(0);
  const [dismissed, setDismissed] = useState(-1);
  const [picking, setPicking] = useState(false);
  const [over, setOver] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  const chooser = useRef<HTMLInputElement>(null);
  const uploads = useUploads();

  const query = queryAt(typed, caret);
  const offers = query && dismissed !== query.from ? suggestionsFor(query) : [];
  const sendable = (typed.trim() !== "" || uploads.drafts.length > 0) && uploads.ready;

  useLayoutEffect(() => {
    const element = field.current;
    if (!element) return;
    element.style.height = "auto";
    element.style.height = `${Math.min(element.scrollHeight, TALLEST_PX)}px`;
  }, [typed]);

  const write = (text: string, position: number): void => {
    // At once: were the caret moved with the next frame, it would jump under what is typed until then.
    flushSync(() => {
      setTyped(text);
      setCaret(position);
    });
    field.current?.focus();
    field.current?.setSelectionRange(position, position);
  };
  const insert = (text: string): void => {
    const start = field.current?.selectionStart ?? typed.length;
    write(typed.slice(0, start) + text + typed.slice(field.current?.selectionEnd ?? start), start + text.length);
  };
  const wrap = (before: string, after: string): void => {
    const start = field.current?.selectionStart ?? typed.length;
    const end = field.current?.selectionEnd ?? start;
    const inside = typed.slice(start, end);
    write(typed.slice(0, start) + before + inside + after + typed.slice(end), start + before.length + inside.length);
  };
  const take = (offer: Suggestion): void => {
    if (!query) return;
    write(typed.slice(0, query.from) + offer.insert + typed.slice(caret), query.from + offer.insert.length);
    setAt(0);
  };
  const send = (): void => {
    if (!sendable) return;
    const fileIds = uploads.drafts.map((draft) => draft.fileId ?? "");
    const before = typed;
    setTyped("");
    uploads.clear();
    deliver(channel, thread, before, fileIds).catch((error: unknown) => {
      setTyped((now) => now || before);
      report(error);
    });
    field.current?.focus();
  };
  const onOfferKey = (event: React.KeyboardEvent): boolean => {
    const offer = offers[at] ?? offers[0];
    if (!offer) return false;
    if (event.key === "ArrowDown") setAt((at + 1) % offers.length);
    else if (event.key === "ArrowUp") setAt((at - 1 + offers.length) % offers.length);
    else if (event.key === "Enter" || event.key === "Tab") take(offer);
    else if (event.key === "Escape") setDismissed(query?.from ?? -1);
    else return false;
    event.preventDefault();
    event.stopPropagation();
    return true;
  };
  const onKey = (event: React.KeyboardEvent): void => {
    if (event.nativeEvent.isComposing || onOfferKey(event)) return;
    if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      send();
    }
  };
  const onPaste = (event: React.ClipboardEvent): void => {
    if (event.clipboardData.files.length === 0) return;
    event.preventDefault();
    uploads.add(event.clipboardData.files);
  };
  const onDrop = (event: React.DragEvent): void => {
    event.preventDefault();
    setOver(false);
    uploads.add(event.dataTransfer.files);
  };
  return (
    <div
      className={over ? "composer is-over" : "composer"}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={onDrop}
    >
      {offers.length > 0 ? <Offers offers={offers} at={at} take={take} hover={setAt} /> : null}
      <Toolbar wrap={wrap} />
      <textarea
        ref={field}
        rows={1}
        value={typed}
        placeholder={placeholder}
        aria-label={placeholder}
        aria-autocomplete="list"
        aria-controls={offers.length > 0 ? "offers" : undefined}
        onChange={(event) => {
          setTyped(event.target.value);
          setCaret(event.target.selectionStart);
          setAt(0);
          setDismissed(-1);
        }}
        onSelect={(event) => setCaret(event.currentTarget.selectionStart)}
        onKeyDown={onKey}
        onPaste={onPaste}
      />
      <Drafts uploads={uploads} />
      <div className="composer-bar">
        <input
          ref={chooser}
          type="file"
          multiple
          hidden
          aria-label="Choose files"
          onChange={(event) => {
            uploads.add(event.target.files ?? []);
            event.target.value = "";
          }}
        />
        <button type="button" className="tool tool-round" title="Attach files" aria-label="Attach files" onClick={() => chooser.current?.click()}>
          <Icon name="plus" />
        </button>
        <button type="button" className="tool" title="Emoji" aria-label="Emoji" onClick={() => setPicking(!picking)}>
          <Icon name="smile" />
        </button>
        <button type="button" className="tool" title="Mention someone" aria-label="Mention someone" onClick={() => insert("@")}>
          <Icon name="at" />
        </button>
        <span className="spacer" />
        <button type="button" className="send" title="Send now" aria-label="Send" disabled={!sendable} onClick={send}>
          <Icon name="send" />
        </button>
        {picking ? (
          <EmojiPicker
            close={() => setPicking(false)}
            pick={(name) => {
              setPicking(false);
              insert(`:${name}: `);
            }}
          />
        ) : null}
      </div>
    </div>
  );
}

interface OffersProps {
  offers: Suggestion[];
  at: number;
  take: (offer: Suggestion) => void;
  hover: (index: number) => void;
}

function Offers({ offers, at, take, hover }: OffersProps): ReactNode {
  return (
    <div className="offers" role="listbox" id="offers" aria-label="Suggestions">
      {offers.map((offer, index) => (
        <button
          key={offer.label}
          type="button"
          role="option"
          tabIndex={-1}
          aria-selected={index === at}
          className={index === at ? "is-at" : ""}
          onPointerEnter={() => hover(index)}
          onPointerDown={(event) => {
            event.preventDefault();
            take(offer);
          }}
        >
          {offer.user ? <Avatar user={offer.user} size={20} /> : null}
          {offer.glyph ? <span className="emoji">{offer.glyph}</span> : null}
          <strong>{offer.label}</strong>
          {offer.detail ? <small>{offer.detail}</small> : null}
        </button>
      ))}
    </div>
  );
}
