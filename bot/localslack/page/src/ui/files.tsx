import { type ReactNode, useEffect, useState } from "react";
import { fileUrl } from "../api";
import { Picture } from "../blocks/image";
import { fileSize } from "../format";
import { useApp } from "../store";
import type { SlackFile } from "../types";
import { Icon } from "./icons";

const PREVIEW_BYTES = 64 * 1024;
const PREVIEW_LINES = 6;
const TEXT_NAME = /\.(txt|log|csv|tsv|md|json|ya?ml|toml|ini|py|js|ts|sql|sh|diff|patch|html|css)$/i;

const isImage = (file: SlackFile): boolean => file.mimetype?.startsWith("image/") ?? false;

const isShortText = (file: SlackFile): boolean =>
  (file.size ?? Number.POSITIVE_INFINITY) <= PREVIEW_BYTES &&
  (file.mimetype?.startsWith("text/") === true || TEXT_NAME.test(file.name ?? ""));

const kindOf = (file: SlackFile): string => (file.name?.split(".").at(-1) ?? "file").toUpperCase().slice(0, 5);

export function FileCard({ file }: { file: SlackFile }): ReactNode {
  const me = useApp((s) => s.me);
  const name = file.title || file.name || file.id;
  return (
    <a className="file-card" href={fileUrl(file, me)} download={file.name ?? file.id}>
      <span className="file-kind" aria-hidden="true">{kindOf(file)}</span>
      <span className="only-read">Download </span>
      <span className="file-text">
        <strong>{name}</strong>
        <small>
          {kindOf(file)} {fileSize(file.size)}
        </small>
      </span>
      <Icon name="download" />
    </a>
  );
}

/** A text file with its first lines, as Slack shows snippets. */
function Snippet({ file }: { file: SlackFile }): ReactNode {
  const me = useApp((s) => s.me);
  const [text, setText] = useState<string | null>(null);
  const [open, setOpen] = useState(false);
  const url = fileUrl(file, me);
  useEffect(() => {
    const gone = new AbortController();
    fetch(url, { signal: gone.signal }).then(
      async (response) => setText(response.ok ? await response.text() : null),
      () => undefined,
    );
    return () => gone.abort();
  }, [url]);
  const lines = (text ?? "").replace(/\n$/, "").split("\n");
  const long = lines.length > PREVIEW_LINES;
  return (
    <div className="snippet">
      <FileCard file={file} />
      {text ? <pre tabIndex={0} role="region" aria-label={`Content of ${file.title || file.name || file.id}`}>{(open ? lines : lines.slice(0, PREVIEW_LINES)).join("\n")}</pre> : null}
      {text && long ? (
        <button type="button" className="snippet-more" aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? "Show less" : `Show all ${lines.length} lines`}
        </button>
      ) : null}
    </div>
  );
}

function FileView({ file }: { file: SlackFile }): ReactNode {
  const me = useApp((s) => s.me);
  if (isShortText(file)) return <Snippet file={file} />;
  if (!isImage(file)) return <FileCard file={file} />;
  return (
    <figure className="image-block">
      <figcaption>{file.title || file.name}</figcaption>
      <Picture src={fileUrl(file, me)} alt={file.title || file.name || "image"} />
    </figure>
  );
}

export function Files({ files }: { files: SlackFile[] }): ReactNode {
  return (
    <div className="files">
      {files.map((file) => (
        <FileView key={file.id} file={file} />
      ))}
    </div>
  );
}
