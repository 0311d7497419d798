import type { ReactNode } from "react";
import { asList, asObj, asText, plain, type Json, type Obj } from "../types";
import { RichText } from "./rich-text";

function Cell({ value }: { value: Json | undefined }): ReactNode {
  const cell = asObj(value);
  if (cell?.type === "rich_text") return <RichText block={cell} />;
  return cell ? asText(cell.text) || asText(cell.value) : asText(value);
}

type Align = "left" | "center" | "right";

/** `table` and `data_table`: the first row is the head, as in Slack. */
export function TableBlock({ block }: { block: Obj }): ReactNode {
  const rows = Array.isArray(block.rows) ? block.rows.map((row) => (Array.isArray(row) ? row : (asObj(row)?.cells ?? []))) : [];
  const settings = asList(block.column_settings);
  const style = (index: number) => ({
    textAlign: (asText(settings[index]?.align) || "left") as Align,
    whiteSpace: settings[index]?.is_wrapped ? ("normal" as const) : undefined,
  });
  const lines = rows.map((row) => (Array.isArray(row) ? row : []));
  const [head, ...body] = lines;
  return (
    <div className="table-scroll">
      <table>
        {block.caption ? <caption>{plain(block.caption)}</caption> : null}
        <thead>
          <tr>
            {head?.map((cell, index) => (
              <th key={index} style={style(index)}>
                <Cell value={cell} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {body.map((row, at) => (
            <tr key={at}>
              {row.map((cell, index) => (
                <td key={index} style={style(index)}>
                  <Cell value={cell} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
