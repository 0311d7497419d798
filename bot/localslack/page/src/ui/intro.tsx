import { type ReactNode, useState } from "react";
import { api } from "../api";
import { Mrkdwn } from "../blocks/mrkdwn";
import { openThread, report } from "../session";
import { botName, channelTitle, findChannel, imPeer, isIm, store, topicOf, useApp } from "../store";
import type { Prompt } from "../types";
import { Avatar } from "./avatar";
import { Icon } from "./icons";

/** Sends a prepared message as the acting person and opens its thread, where the answer will stand. */
async function use(prompt: Prompt): Promise<void> {
  const { me } = store.get();
  const sent = await api.send({ user: me, channel: prompt.channel, text: prompt.message });
  const ts = sent.ts ?? sent.message?.ts;
  if (ts) openThread(ts);
}

export function usePrompts(channel: string): Prompt[] {
  const prompts = useApp((s) => s.boot?.scene.prompts);
  return (prompts ?? []).filter((prompt) => prompt.channel === channel);
}

export function PromptButtons({ prompts, small }: { prompts: Prompt[]; small?: boolean }): ReactNode {
  const [busy, setBusy] = useState(false);
  const press = (prompt: Prompt): void => {
    setBusy(true);
    use(prompt)
      .catch(report)
      .finally(() => setBusy(false));
  };
  return (
    <div className={small ? "prompts prompts-small" : "prompts"}>
      {prompts.map((prompt) => (
        <button key={prompt.title} type="button" className="prompt" title={small ? prompt.title : undefined} disabled={busy} onClick={() => press(prompt)}>
          <Icon name="spark" />
          <span>
            <strong>{prompt.title}</strong>
            {small ? null : (
              <small>
                <Mrkdwn text={prompt.message} />
              </small>
            )}
          </span>
        </button>
      ))}
    </div>
  );
}

/** What stands at the very beginning of a channel or of a direct message. */
export function Intro({ channel: id }: { channel: string }): ReactNode {
  const prompts = usePrompts(id);
  const channel = findChannel(id);
  if (!channel) return null;
  const im = isIm(channel);
  const peer = im ? imPeer(channel) : undefined;
  const topic = topicOf(channel);
  return (
    <div className="intro">
      {im ? <Avatar user={peer} size={64} /> : <span className="intro-hash">#</span>}
      <h2>{im ? channelTitle(id) : `Welcome to the #${channel.name} channel`}</h2>
      <p>
        {im
          ? peer?.is_bot
            ? `This is the very beginning of your conversation with ${channelTitle(id)}. Each message you send starts a thread.`
            : `This is the very beginning of your direct message history with ${channelTitle(id)}.`
          : `This channel is just getting started. ${topic ? `${topic.replace(/[.\s]+$/, "")}. ` : ""}Mention @${botName()} to put it to work.`}
      </p>
      {prompts.length > 0 ? (
        <>
          <h3>Try one of these</h3>
          <PromptButtons prompts={prompts} />
        </>
      ) : null}
    </div>
  );
}
