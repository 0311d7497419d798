import { type ReactNode, useState } from "react";
import { withUser } from "../api";
import { Dialog } from "../ui/popover";
import { useApp } from "../store";
import { asObj, asText, plain, type Obj } from "../types";

const sourceOf = (object: Obj): string => asText(object.image_url) || asText(asObj(object.slack_file)?.url);

export function BlockImage({ object, className }: { object: Obj; className?: string }): ReactNode {
  const me = useApp((s) => s.me);
  return <img className={className} src={withUser(sourceOf(object), me)} alt={asText(object.alt_text)} />;
}

/** An image one can open in full size. */
export function Picture({ src, alt }: { src: string; alt: string }): ReactNode {
  const [open, setOpen] = useState(false);
  return (
    <>
      <button type="button" className="picture" aria-label={`Open ${alt}`} onClick={() => setOpen(true)}>
        <img src={src} alt={alt} loading="lazy" />
      </button>
      {open ? (
        <Dialog label={alt} className="lightbox" close={() => setOpen(false)}>
          <img src={src} alt={alt} />
          <div className="lightbox-bar">
            <span>{alt}</span>
            <a className="btn" href={src} download={alt}>
              Download
            </a>
            <button type="button" data-autofocus className="btn" onClick={() => setOpen(false)}>
              Close
            </button>
          </div>
        </Dialog>
      ) : null}
    </>
  );
}

export function ImageBlock({ block }: { block: Obj }): ReactNode {
  const me = useApp((s) => s.me);
  const title = plain(block.title);
  return (
    <figure className="image-block">
      {title ? <figcaption>{title}</figcaption> : null}
      <Picture src={withUser(sourceOf(block), me)} alt={asText(block.alt_text) || title || "image"} />
    </figure>
  );
}
