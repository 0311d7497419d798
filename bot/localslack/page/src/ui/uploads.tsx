import { type ReactNode, useRef, useState } from "react";
import { api } from "../api";
import { fileSize } from "../format";
import { report } from "../session";
import { store } from "../store";
import { Icon } from "./icons";

export interface Draft {
  key: number;
  name: string;
  size: number;
  preview?: string;
  /** Set once the server has it. */
  fileId?: string;
}

export interface Uploads {
  drafts: Draft[];
  ready: boolean;
  add: (files: Iterable<File>) => void;
  remove: (key: number) => void;
  clear: () => void;
}

/** Files chosen for the next message: uploaded at once, shown as previews until sent. */
export function useUploads(): Uploads {
  const [drafts, setDrafts] = useState<Draft[]>([]);
  const next = useRef(1);
  const remove = (key: number): void => setDrafts((all) => all.filter((draft) => draft.key !== key));
  const addOne = (file: File): void => {
    const key = next.current++;
    const preview = file.type.startsWith("image/") ? URL.createObjectURL(file) : undefined;
    setDrafts((all) => [...all, { key, name: file.name || "pasted.png", size: file.size, preview }]);
    api.upload(store.get().me, file).then(
      (stored) => setDrafts((all) => all.map((d) => (d.key === key ? { ...d, fileId: stored.file_id } : d))),
      (error: unknown) => {
        remove(key);
        report(error);
      },
    );
  };
  return {
    drafts,
    ready: drafts.every((draft) => draft.fileId !== undefined),
    add: (files) => [...files].forEach(addOne),
    remove,
    clear: () => setDrafts([]),
  };
}

export function Drafts({ uploads }: { uploads: Uploads }): ReactNode {
  if (uploads.drafts.length === 0) return null;
  return (
    <div className="drafts">
      {uploads.drafts.map((draft) => (
        <div key={draft.key} className={draft.fileId ? "draft" : "draft is-busy"}>
          {draft.preview ? <img src={draft.preview} alt="" /> : <Icon name="file" />}
          <span className="file-text">
            <strong>{draft.name}</strong>
            <small>{draft.fileId ? fileSize(draft.size) : "Uploading..."}</small>
          </span>
          <button type="button" className="draft-remove" aria-label={`Remove ${draft.name}`} onClick={() => uploads.remove(draft.key)}>
            <Icon name="close" />
          </button>
        </div>
      ))}
    </div>
  );
}
