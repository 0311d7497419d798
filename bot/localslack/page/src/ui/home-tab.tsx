import { type ReactNode, useMemo } from "react";
import { Blocks } from "../blocks/blocks";
import { SurfaceContext, SurfaceState } from "../blocks/surface";
import { botName, botUser, useApp } from "../store";
import { Avatar } from "./avatar";

/** The app's home tab, as the app last published it for this person. */
export function HomeTab(): ReactNode {
  const home = useApp((s) => s.home);
  const id = home?.id ?? "";
  const surface = useMemo(() => new SurfaceState({ id, kind: "view" }), [id]);
  if (!home)
    return (
      <div className="home-empty">
        <Avatar user={botUser()} size={64} />
        <p>{botName()} has not published a home tab yet.</p>
      </div>
    );
  return (
    <div className="home-scroll" tabIndex={0} aria-label={`${botName()} home`} role="region">
      <div className="home-tab">
        <SurfaceContext value={surface}>
          <Blocks blocks={home.blocks} />
        </SurfaceContext>
      </div>
    </div>
  );
}
