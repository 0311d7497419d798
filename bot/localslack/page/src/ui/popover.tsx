import { type ReactNode, type RefObject, useEffect, useRef } from "react";

/** Calls `close` on Escape, which gives the focus back to what opened it, and on a press outside of the element. */
export function useDismiss(box: RefObject<HTMLElement | null>, open: boolean, close: () => void): void {
  useEffect(() => {
    if (!open) return;
    const onPress = (event: PointerEvent): void => {
      if (event.target instanceof Node && !box.current?.contains(event.target)) close();
    };
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== "Escape") return;
      event.stopPropagation();
      close();
      giveBack(box.current);
    };
    document.addEventListener("pointerdown", onPress, true);
    document.addEventListener("keydown", onKey, true);
    return () => {
      document.removeEventListener("pointerdown", onPress, true);
      document.removeEventListener("keydown", onKey, true);
    };
  }, [open, close, box]);
}

/** Focuses the button that opens the pop-up of an element. */
export function giveBack(box: HTMLElement | null): void {
  box?.querySelector<HTMLElement>("[aria-expanded]")?.focus();
}

/** Arrow keys move between the buttons of a menu. */
export function moveFocus(event: React.KeyboardEvent<HTMLElement>): void {
  if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
  event.preventDefault();
  const items = [...event.currentTarget.querySelectorAll<HTMLElement>("[role^=menuitem],[role=option]")];
  const at = items.indexOf(document.activeElement as HTMLElement);
  const step = event.key === "ArrowDown" ? 1 : -1;
  items[(at + step + items.length) % items.length]?.focus();
}

interface Dialog {
  label: string;
  className?: string;
  close: () => void;
  children: ReactNode;
}

/** A dialog over the page: keeps the focus inside, closes on Escape, gives the focus back. */
export function Dialog({ label, className, close, children }: Dialog): ReactNode {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    const first = box.current?.querySelector<HTMLElement>("[data-autofocus], input:not([type=hidden]), textarea");
    (first ?? box.current)?.focus();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  const onKey = (event: React.KeyboardEvent): void => {
    if (event.key === "Escape") {
      event.stopPropagation();
      close();
    }
    if (event.key !== "Tab") return;
    const stops = [...(box.current?.querySelectorAll<HTMLElement>("button:not(:disabled), [href], input, select, textarea") ?? [])];
    const edge = event.shiftKey ? stops[0] : stops.at(-1);
    if (document.activeElement === edge || document.activeElement === box.current) {
      event.preventDefault();
      (event.shiftKey ? stops.at(-1) : stops[0])?.focus();
    }
  };
  return (
    <div className="overlay" onPointerDown={(event) => event.target === event.currentTarget && close()}>
      <div ref={box} role="dialog" aria-modal="true" aria-label={label} tabIndex={-1} className={`dialog ${className ?? ""}`} onKeyDown={onKey}>
        {children}
      </div>
    </div>
  );
}

/** Ref of a pop-up that opens upwards (class `opens-up`) when there is more room above it, and stays within its frame. */
export function placed(element: HTMLElement | null): void {
  if (!element) return;
  const frame = element.closest(".messages, .modal-body, .home-scroll")?.getBoundingClientRect();
  const anchor = element.parentElement?.getBoundingClientRect();
  if (!frame || !anchor) return;
  const below = frame.bottom - anchor.bottom;
  const above = anchor.top - frame.top;
  element.classList.toggle("opens-up", element.offsetHeight + 8 > below && above > below);
  const past = element.getBoundingClientRect().right + 8 - frame.right;
  if (past > 0) element.style.translate = `${-past}px`;
}
