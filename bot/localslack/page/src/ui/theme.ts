import { useEffect, useState } from "react";

export type Theme = "light" | "dark";
const KEY = "localslack.theme";
const system = window.matchMedia("(prefers-color-scheme: dark)");

function current(): Theme {
  const chosen = localStorage.getItem(KEY);
  if (chosen === "light" || chosen === "dark") return chosen;
  return system.matches ? "dark" : "light";
}

/** Light or dark: what the system says until the person chooses. */
export function useTheme(): [Theme, () => void] {
  const [theme, setTheme] = useState<Theme>(current);
  useEffect(() => {
    document.documentElement.dataset.theme = theme;
  }, [theme]);
  useEffect(() => {
    const follow = (): void => setTheme(current());
    system.addEventListener("change", follow);
    return () => system.removeEventListener("change", follow);
  }, []);
  const toggle = (): void => {
    const next = theme === "dark" ? "light" : "dark";
    localStorage.setItem(KEY, next);
    setTheme(next);
  };
  return [theme, toggle];
}
