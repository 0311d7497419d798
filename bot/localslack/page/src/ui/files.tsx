import type { ReactNode } from "react";
import { fileUrl } from "../api";
import { Picture } from "../blocks/image";
import { fileSize } from "../format";
import { useApp } from "../store";
import type { SlackFile } from "../types";
import { Icon } from "./icons";

const isImage = (file: SlackFile): boolean => file.mimetype?.startsWith("image/") ?? false;

const kindOf = (file: SlackFile): string => (file.name?.split(".").at(-1) ?? "file").toUpperCase().slice(0, 5);

export function FileCard({ file }: { file: SlackFile }): ReactNode {
  const me = useApp((s) => s.me);
  const name = file.title || file.name || file.id;
  return (
    <a className="file-card" href={fileUrl(file, me)} download={file.name ?? file.id} aria-label={`Download ${name}`}>
      <span className="file-kind">{kindOf(file)}</span>
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

export function Files({ files }: { files: SlackFile[] }): ReactNode {
  const me = useApp((s) => s.me);
  return (
    <div className="files">
      {files.map((file) =>
        isImage(file) ? (
          <figure key={file.id} className="image-block">
            <figcaption>{file.title || file.name}</figcaption>
            <Picture src={fileUrl(file, me)} alt={file.title || file.name || "image"} />
          </figure>
        ) : (
          <FileCard key={file.id} file={file} />
        ),
      )}
    </div>
  );
}
