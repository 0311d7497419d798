import type { ReactNode } from "react";

/** Line icons on a 20 px grid, drawn for this page. */
const PATHS = {
  hash: "M7.5 3 6 17M14 3l-1.5 14M3.5 7.5h14M2.5 12.5h14",
  lock: "M5 9h10v8H5zM7 9V6.5a3 3 0 0 1 6 0V9",
  more: "M10 4.5v.01M10 10v.01M10 15.5v.01",
  close: "M5 5l10 10M15 5 5 15",
  back: "M12.5 4.5 7 10l5.5 5.5",
  menu: "M3 5.5h14M3 10h14M3 14.5h14",
  "chevron-down": "M5 7.5l5 5 5-5",
  "chevron-right": "M7.5 5l5 5-5 5",
  check: "M4 10.5l4 4 8-9",
  smile: "M10 17.5a7.5 7.5 0 1 0 0-15 7.5 7.5 0 0 0 0 15zM7 12c.7 1.3 1.8 2 3 2s2.3-.7 3-2M7.5 8v.01M12.5 8v.01",
  pencil: "M4 16l.7-3.300L13.5 4l2.5 2.5-8.7 8.800zM12 5.5 14.5 8",
  trash: "M4 6h12M8 6V4h4v2M5.5 6l.8 10.5h7.400L14.5 6",
  link: "M8.5 11.5a3 3 0 0 0 4.3 0l2.7-2.700a3 3 0 0 0-4.3-4.300L10 5.700M11.5 8.5a3 3 0 0 0-4.3 0l-2.7 2.700a3 3 0 0 0 4.3 4.300L10 14.3",
  reply: "M3.5 4h13v9.5H9L5.5 17v-3.5h-2zM7 7.5h6M7 10h4",
  send: "M3 3.5 17.5 10 3 16.5l1.8-6.5zM5 10h6",
  plus: "M10 4v12M4 10h12",
  at: "M13 10a3 3 0 1 1-6 0 3 3 0 0 1 6 0v1c0 1.2.7 2 1.8 2S17 12 17 10a7 7 0 1 0-3 5.7",
  bold: "M6 4h4.5a3 3 0 0 1 0 6H6zM6 10h5.5a3 3 0 0 1 0 6H6z",
  italic: "M8.5 4h6M5.5 16h6M11.5 4l-3 12",
  strike: "M4 10h12M14 6.5C13.5 5 12 4 10 4S6.5 5 6.5 7c0 3 7 3 7 6 0 2-1.5 3-3.5 3s-3.5-1-4-2.5",
  code: "M7 6l-4 4 4 4M13 6l4 4-4 4",
  quote: "M4 4v12M8 6h9M8 10h9M8 14h6",
  list: "M8 5h9M8 10h9M8 15h9M4 5v.01M4 10v.01M4 15v.01",
  format: "M3 15.5 7 5h1l4 10.5M4.5 12h6M14 15.5a2.2 2.2 0 1 0 0-4.5 2.2 2.2 0 0 0 0 4.5zM16.3 11v4.5",
  download: "M10 3.5v9M6 9l4 4 4-4M4 16.5h12",
  external: "M11 4h5v5M16 4l-7 7M8 5H4v11h11v-4",
  eye: "M2 10s3-5 8-5 8 5 8 5-3 5-8 5-8-5-8-5zM10 12.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5z",
  "thumb-up": "M6 9v7.5H3.5V9zM6 9l3-6c1.5 0 2 1 1.8 2.5L10.5 8h4.300c1 0 1.7.9 1.5 1.800l-1.1 5.200c-.2.9-.9 1.5-1.8 1.5H6",
  "thumb-down": "M6 11V3.5H3.5V11zM6 11l3 6c1.5 0 2-1 1.8-2.5L10.5 12h4.300c1 0 1.7-.9 1.5-1.800l-1.1-5.200c-.2-.9-.9-1.5-1.8-1.5H6",
  home: "M3 9.5 10 3.5l7 6M5 8.5v8h3.5v-4h3v4H15v-8",
  message: "M3.5 4h13v9.5H9L5.5 17v-3.5h-2z",
  sun: "M10 13.5a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM10 2v1.5M10 16.5V18M2 10h1.5M16.5 10H18M4.3 4.300l1.1 1.100M14.6 14.600l1.1 1.100M4.3 15.700l1.1-1.100M14.6 5.400l1.1-1.1",
  moon: "M16.5 12A7 7 0 0 1 8 3.5a7 7 0 1 0 8.5 8.5z",
  spark: "M10 3l1.6 5.400L17 10l-5.4 1.600L10 17l-1.6-5.400L3 10l5.4-1.600z",
  bolt: "M11 2.5 4.5 11.5H9l-.5 6L15.5 8H11z",
  bulb: "M7.5 14.5c0-2-2.5-3-2.5-6a5 5 0 0 1 10 0c0 3-2.5 4-2.5 6zM8 17h4",
  stop: "M6 6h8v8H6z",
  power: "M10 3v7M6 5.200a6.5 6.5 0 1 0 8 0",
  file: "M5 2.5h7l3.5 3.5v11.5H5zM12 2.5V6h3.5M7.5 10h5M7.5 13h5",
  info: "M10 17.5a7.5 7.5 0 1 0 0-15 7.5 7.5 0 0 0 0 15zM10 9v5M10 6.300v.01",
  warning: "M10 3 2.5 16.5h15zM10 8v4M10 14.300v.01",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { name: IconName }): ReactNode {
  return (
    <svg className={`icon icon-${name}`} viewBox="0 0 20 20" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}
