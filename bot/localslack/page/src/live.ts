import type { LiveEvent } from "./types";

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 5000;

/** One websocket that comes back by itself; `onOpen(again)` tells whether the state must be fetched anew. */
export class LiveSocket {
  /** Fulfilled when it is open for the first time; only what is fetched after that leaves nothing out. */
  readonly ready: Promise<void>;
  private isReady: () => void = () => undefined;
  private socket: WebSocket | null = null;
  private wait = FIRST_WAIT_MS;
  private timer: number | undefined;
  private opened = false;
  private closed = false;

  constructor(
    private readonly user: string,
    private readonly onEvent: (event: LiveEvent) => void,
    private readonly onOpen: (again: boolean) => void = () => undefined,
    private readonly onLost: () => void = () => undefined,
  ) {
    this.ready = new Promise((resolve) => (this.isReady = resolve));
    this.connect();
  }

  close(): void {
    this.closed = true;
    window.clearTimeout(this.timer);
    this.socket?.close();
  }

  private connect(): void {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const socket = new WebSocket(`${scheme}://${location.host}/_local/api/ws?user=${encodeURIComponent(this.user)}`);
    this.socket = socket;
    socket.onopen = () => {
      this.wait = FIRST_WAIT_MS;
      this.onOpen(this.opened);
      this.opened = true;
      this.isReady();
    };
    socket.onmessage = (frame) => {
      if (!this.closed) this.onEvent(JSON.parse(String(frame.data)) as LiveEvent);
    };
    socket.onclose = () => {
      if (this.closed) return;
      this.onLost();
      this.timer = window.setTimeout(() => this.connect(), this.wait);
      this.wait = Math.min(this.wait * 2, LONGEST_WAIT_MS);
    };
  }
}
