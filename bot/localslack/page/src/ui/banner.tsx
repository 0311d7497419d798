import { type ReactNode, useState } from "react";
import { Mrkdwn } from "../blocks/mrkdwn";
import { useApp } from "../store";
import { Icon } from "./icons";

/** The scene's banner: one line, with its detail on demand. */
export function Banner(): ReactNode {
  const banner = useApp((s) => s.boot?.scene.banner);
  const [open, setOpen] = useState(false);
  if (!banner?.text) return null;
  return (
    <div className="banner" role="note" aria-label="Notice">
      <Icon name="bolt" />
      <span>
        <strong>{banner.text}</strong>
        {open && banner.detail ? (
          <span className="banner-detail">
            <Mrkdwn text={banner.detail} />
          </span>
        ) : null}
      </span>
      {banner.detail ? (
        <button type="button" className="banner-more" aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? "Less" : "How"}
        </button>
      ) : null}
    </div>
  );
}
