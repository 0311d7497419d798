"""The buttons of schedules in App Home: pause, resume, delete."""

import logging
from dataclasses import dataclass

from bot import texts_schedule, texts_surface
from bot.home.schedules import COMMANDS
from bot.listeners.clicks import Ack, Body
from bot.listeners.home import HomeTab
from bot.render import escape
from runtime.schedule.desk import Desk, NoSuchSchedule
from runtime.store.errors import StoreError
from tools.errors import ToolInputError

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class HomeSchedules:
    """Whoever clicks changes their own schedules only: the button's value is an address, no authority."""

    home: HomeTab
    desk: Desk

    async def change(self, body: Body, ack: Ack) -> None:
        """Do it, and show the tab as it is then."""
        await ack()
        user, action = str(body["user"]["id"]), body["actions"][0]
        schedule_id = str(action.get("value", ""))
        try:
            await self.desk.change_of(user, schedule_id, COMMANDS[str(action["action_id"])])
        except NoSuchSchedule:
            await self.home.say(user, texts_schedule.unknown(escape.mrkdwn(schedule_id)))
        except ToolInputError as error:
            await self.home.say(user, escape.mrkdwn(str(error)))
        except StoreError as error:
            log.warning("schedule of App Home not changed: %s", error)
            await self.home.say(user, texts_surface.UNREACHABLE)
        else:
            await self.home.publish(user)
