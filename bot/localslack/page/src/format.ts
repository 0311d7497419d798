/** Times, sizes and names as Slack writes them. */

const dateOf = (ts: string): Date => new Date(Number.parseFloat(ts) * 1000);
const dayKey = (date: Date): string => `${date.getFullYear()}-${date.getMonth()}-${date.getDate()}`;

export const clock = (ts: string): string =>
  dateOf(ts).toLocaleTimeString("en-US", { hour: "numeric", minute: "2-digit" });

export const clockShort = (ts: string): string => clock(ts).replace(/ [AP]M$/, "");

export const dayOf = (ts: string): string => dayKey(dateOf(ts));

function ordinal(day: number): string {
  const rest = day % 100;
  if (rest >= 11 && rest <= 13) return `${day}th`;
  return day + (["th", "st", "nd", "rd"][day % 10] ?? "th");
}

export function dayLabel(ts: string): string {
  const date = dateOf(ts);
  const today = new Date();
  const yesterday = new Date(today.getFullYear(), today.getMonth(), today.getDate() - 1);
  if (dayKey(date) === dayKey(today)) return "Today";
  if (dayKey(date) === dayKey(yesterday)) return "Yesterday";
  const weekday = date.toLocaleDateString("en-US", { weekday: "long" });
  const month = date.toLocaleDateString("en-US", { month: "long" });
  return `${weekday}, ${month} ${ordinal(date.getDate())}`;
}

export const fullTime = (ts: string): string => `${dayLabel(ts)} at ${dateOf(ts).toLocaleTimeString("en-US")}`;

export function ago(ts: string, now: number = Date.now()): string {
  const minutes = Math.floor((now / 1000 - Number.parseFloat(ts)) / 60);
  if (minutes < 1) return "just now";
  if (minutes < 60) return `${minutes} minute${minutes === 1 ? "" : "s"} ago`;
  if (minutes < 1440) return `today at ${clock(ts)}`;
  const days = Math.floor(minutes / 1440);
  return `${days} day${days === 1 ? "" : "s"} ago`;
}

export function fileSize(bytes: number | undefined): string {
  if (bytes === undefined) return "";
  if (bytes < 1024) return `${bytes} B`;
  if (bytes < 1024 * 1024) return `${Math.round(bytes / 1024)} kB`;
  return `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}

/** Slack's `<!date^unix^format>` tokens. */
export function slackDate(unix: number, format: string): string {
  const ts = String(unix);
  const date = dateOf(ts);
  const long = date.toLocaleDateString("en-US", { weekday: "long", month: "long", day: "numeric", year: "numeric" });
  const short = date.toLocaleDateString("en-US", { month: "short", day: "numeric", year: "numeric" });
  const near = ["Today", "Yesterday"].includes(dayLabel(ts)) ? dayLabel(ts).toLowerCase() : null;
  const values: Record<string, string> = {
    date_num: date.toLocaleDateString("sv-SE"),
    date_slash: date.toLocaleDateString("en-US"),
    date: date.toLocaleDateString("en-US", { month: "long", day: "numeric", year: "numeric" }),
    date_short: short,
    date_long: long,
    date_pretty: near ?? short,
    date_short_pretty: near ?? short,
    date_long_pretty: near ?? long,
    day_divider_pretty: dayLabel(ts),
    time: clock(ts),
    time_secs: date.toLocaleTimeString("en-US"),
    ago: ago(ts),
  };
  return format.replace(/\{(\w+)\}/g, (whole, key: string) => values[key] ?? whole);
}
