import { Fragment, type ReactNode, useEffect, useLayoutEffect, useRef } from "react";
import { dayLabel, dayOf } from "../format";
import { useApp } from "../store";
import type { Message as SlackMessage } from "../types";
import { Message } from "./message";

const JOIN_SECONDS = 300;
const NEAR_END_PX = 80;

function joins(before: SlackMessage | undefined, message: SlackMessage): boolean {
  if (!before || before.ephemeral || message.ephemeral || before.reply_count || message.subtype === "thread_broadcast") return false;
  const sameAuthor = before.user === message.user && before.bot_id === message.bot_id && before.username === message.username;
  const close = Number.parseFloat(message.ts) - Number.parseFloat(before.ts) < JOIN_SECONDS;
  return sameAuthor && close && dayOf(before.ts) === dayOf(message.ts);
}

/** Messages by day in a channel; a thread is one run whatever its days. */
function days(messages: SlackMessage[], inThread: boolean): SlackMessage[][] {
  if (inThread) return messages.length > 0 ? [messages] : [];
  const runs: SlackMessage[][] = [];
  for (const message of messages) {
    const run = runs.at(-1);
    if (run?.[0] && dayOf(run[0].ts) === dayOf(message.ts)) run.push(message);
    else runs.push([message]);
  }
  return runs;
}

function DayMark({ ts }: { ts: string }): ReactNode {
  return (
    <>
      <div className="day-line" />
      <div className="day">
        <span>{dayLabel(ts)}</span>
      </div>
    </>
  );
}

interface Props {
  messages: SlackMessage[];
  channel: string;
  inThread: boolean;
  /** Shown before the first message (channel) or after the first (thread). */
  intro?: ReactNode;
  divider?: ReactNode;
  label: string;
}

/** The scrolling list: keeps to its end while the reader is there, otherwise stays where the reader looks. */
export function MessageList({ messages, channel, inThread, intro, divider, label }: Props): ReactNode {
  const box = useRef<HTMLDivElement>(null);
  const inner = useRef<HTMLDivElement>(null);
  const atEnd = useRef(true);
  const target = useApp((s) => s.target);

  useLayoutEffect(() => {
    const element = box.current;
    if (element && atEnd.current) element.scrollTop = element.scrollHeight;
  });
  useEffect(() => {
    const element = box.current;
    const content = inner.current;
    if (!element || !content) return;
    const follow = new ResizeObserver(() => {
      if (atEnd.current) element.scrollTop = element.scrollHeight;
    });
    follow.observe(content);
    follow.observe(element);
    return () => follow.disconnect();
  }, []);
  useEffect(() => {
    if (!target) return;
    const found = box.current?.querySelector(`[data-ts="${target}"]`);
    if (found) {
      atEnd.current = false;
      found.scrollIntoView({ block: "center" });
    }
  }, [target, messages.length]);

  const onScroll = (): void => {
    const element = box.current;
    if (element) atEnd.current = element.scrollHeight - element.scrollTop - element.clientHeight < NEAR_END_PX;
  };
  return (
    <div className="messages" ref={box} onScroll={onScroll} role="log" aria-label={label} tabIndex={0}>
      <div className="messages-inner" ref={inner}>
        {intro}
        {days(messages, inThread).map((day) => (
          <section key={day[0]?.ts}>
            {inThread || !day[0] ? null : <DayMark ts={day[0].ts} />}
            {day.map((message, index) => (
              <Fragment key={message.ts}>
                <Message
                  message={message}
                  channel={channel}
                  inThread={inThread}
                  joined={!(inThread && index === 1) && joins(day[index - 1], message)}
                  targeted={target === message.ts}
                />
                {inThread && index === 0 ? divider : null}
              </Fragment>
            ))}
          </section>
        ))}
      </div>
    </div>
  );
}
