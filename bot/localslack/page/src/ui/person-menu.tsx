import { type ReactNode, useCallback, useRef, useState } from "react";
import { people, switchPerson } from "../session";
import { displayName, findUser, useApp } from "../store";
import { Avatar } from "./avatar";
import { Icon } from "./icons";
import { moveFocus, useDismiss } from "./popover";

/** "You are Ana": the person one acts as, and the menu to become another. */
export function PersonMenu(): ReactNode {
  const me = useApp((s) => s.me);
  const users = useApp((s) => s.boot?.users);
  const others = useApp((s) => s.others);
  const [open, setOpen] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const close = useCallback(() => setOpen(false), []);
  useDismiss(box, open, close);
  const waiting = Object.entries(others).filter(([id, count]) => id !== me && count > 0).length;
  const name = displayName(findUser(me));
  return (
    <div className="person-menu" ref={box}>
      <button
        type="button"
        className="person"
        aria-haspopup="menu"
        aria-expanded={open}
        title="Switch person"
        onClick={() => setOpen(!open)}
      >
        <Avatar user={findUser(me)} size={26} />
        <span className="person-name">
          You are <strong>{name}</strong>
        </span>
        {waiting > 0 ? <span className="badge">{waiting}</span> : null}
        <Icon name="chevron-down" />
      </button>
      {open ? (
        <div role="menu" className="menu person-list" aria-label="Switch person" onKeyDown={moveFocus}>
          <em className="menu-title">Act as</em>
          {people(users ?? []).map((user) => (
            <button
              key={user.id}
              type="button"
              role="menuitemradio"
              aria-checked={user.id === me}
              autoFocus={user.id === me}
              onClick={() => {
                close();
                if (user.id !== me) void switchPerson(user.id);
              }}
            >
              <Avatar user={user} size={28} />
              <span>
                {displayName(user)}
                {user.is_restricted ? <small> guest</small> : null}
              </span>
              {(others[user.id] ?? 0) > 0 && user.id !== me ? (
                <span className="badge" aria-label={`${others[user.id]} waiting`}>
                  {others[user.id]}
                </span>
              ) : null}
              {user.id === me ? <Icon name="check" /> : null}
            </button>
          ))}
        </div>
      ) : null}
    </div>
  );
}
