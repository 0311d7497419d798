import type { ReactNode } from "react";
import { asObj, asText, type Json } from "../types";
import { Mrkdwn, Plain } from "./mrkdwn";

/** A text object of either kind, or a bare string (plan and task titles). */
export function Text({ value }: { value: Json | undefined }): ReactNode {
  const object = asObj(value);
  if (!object) return <Plain text={asText(value)} />;
  if (object.type === "mrkdwn") return <Mrkdwn text={asText(object.text)} />;
  return <Plain text={asText(object.text)} />;
}
