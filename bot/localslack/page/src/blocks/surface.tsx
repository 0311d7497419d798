import { createContext, useContext, useEffect, useState } from "react";
import { act, actionKey, type Surface } from "../session";
import { useApp } from "../store";
import { asObj, type Json, type Obj } from "../types";

/** The message or view a set of blocks stands in, and what people have entered there so far. */
export class SurfaceState {
  constructor(
    readonly surface: Surface,
    readonly values: { [block: string]: Obj } = {},
    /** Refusals of the last submission, by block id. */
    readonly errors: Record<string, string> = {},
  ) {}

  /** The same surface and values with other refusals; a new object, so that inputs are drawn again. */
  withErrors(errors: Record<string, string>): SurfaceState {
    return new SurfaceState(this.surface, this.values, errors);
  }

  get(block: string, action: string): Obj | undefined {
    return asObj(this.values[block]?.[action]);
  }

  put(block: string, action: string, value: Obj): void {
    this.values[block] = { ...this.values[block], [action]: value };
  }
}

export const SurfaceContext = createContext<SurfaceState | null>(null);

export interface Slot {
  /** Block the element stands in. */
  blockId: string;
  /** False inside an input block without `dispatch_action`: changes wait for the submission. */
  sends: boolean;
}

export const SlotContext = createContext<Slot>({ blockId: "", sends: true });

export interface Wire {
  busy: boolean;
  refused: string | undefined;
  /** Sends the element's action with the given payload fields. */
  send: (payload: Obj) => void;
  /** Keeps a value for the surface's state only. */
  keep: (payload: Obj) => void;
  /** Keeps a value and sends it where the block asks for that. */
  change: (payload: Obj) => void;
  kept: Obj | undefined;
  blockId: string;
}

/** Connects one interactive element with the surface it stands in. */
export function useWire(element: Obj): Wire {
  const surface = useContext(SurfaceContext);
  const slot = useContext(SlotContext);
  const actionId = String(element.action_id ?? "");
  const base: Obj = { type: element.type, action_id: actionId, block_id: slot.blockId };
  const key = actionKey(surface?.surface.id ?? "", base);
  const busy = useApp((s) => s.pending[key] === true);
  const refused = useApp((s) => s.refused[key]);
  const send = (payload: Obj): void => {
    if (surface && !busy) void act(surface.surface, { ...base, ...payload, action_ts: String(Date.now() / 1000) }, surface.values);
  };
  const keep = (payload: Obj): void => surface?.put(slot.blockId, actionId, { type: element.type, ...payload });
  const change = (payload: Obj): void => {
    keep(payload);
    if (slot.sends) send(payload);
  };
  return { busy, refused, send, keep, change, kept: surface?.get(slot.blockId, actionId), blockId: slot.blockId };
}

/** Value of an input element: what was entered before, else its initial value, put into the state at once. */
export function useEntered<T extends Json | undefined>(element: Obj, wire: Wire, field: string, initial: T): [T, (value: T) => void] {
  const surface = useContext(SurfaceContext);
  const kept = wire.kept?.[field];
  const [value, setValue] = useState<T>(kept === undefined ? initial : (kept as T));
  const actionId = String(element.action_id ?? "");
  useEffect(() => {
    if (surface && !surface.get(wire.blockId, actionId))
      surface.put(wire.blockId, actionId, { type: element.type, [field]: initial ?? null });
  }, []);
  return [value, setValue];
}
