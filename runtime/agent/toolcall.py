"""Asks the model with tools, and carries out the calls it makes, one after the other.

Two kinds of commits make a step: the model's reply with the intent of its first call, then each result with the
intent of the next call. Whatever waits for a person is committed and the step ends there. The last result of a step is
stored while the next request is under way.
"""

import logging
import secrets
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

from runtime.agent.asking import asked_by_call, asks_something, next_request, plan_question, proposed_calls, question
from runtime.agent.calling import paid_call
from runtime.agent.context import AgentContext
from runtime.agent.ending import Checked, checked_end, newest_plan
from runtime.agent.gate import joined, next_move
from runtime.agent.moves import Cleared, NeedsApproval, NeedsWord, Refused, TooManyCards
from runtime.agent.offering import Chosen, described, offered, with_plan_first
from runtime.agent.outage import away, tell_of_outage, tell_of_return
from runtime.agent.react import ReActAgent
from runtime.agent.room import Readings, Room, room_of, share_of, shortened
from runtime.agent.scope import Scope, left_undone
from runtime.agent.seeing import images_to_show, told_in_words
from runtime.agent.spending import Paid, paid_reply
from runtime.agent.used_ids import UsedIds
from runtime.agent.verify import Proposal
from runtime.budget.account import name_of
from runtime.budget.values import Refused as BudgetRefused
from runtime.llm.errors import ContextTooLong, ImagesRefused, ModelError, ModelUnavailable
from runtime.llm.images import ModelImage
from runtime.llm.port import Fixed, ModelReply, ModelRequest, ToolChoice
from runtime.llm.tokens import Tally
from runtime.memory.compaction import Reason
from runtime.session.events import AnyEvent, CallFinished, CallStatus, ModelReplied, RunOutcome, ToolsChanged
from runtime.session.limit_intake import limit_detail
from runtime.session.plan_intake import as_overtaken, waits_for_plan
from runtime.session.state import CallState, RunState
from runtime.store.errors import LeaseLost
from tools.base import FinishProposed, PersonAsked
from tools.collection import ToolCollection
from tools.plan import Plan
from tools.text import storable

logger = logging.getLogger(__name__)


class ToolCallAgent(ReActAgent):
    """An agent that works through a model's tool calls."""

    about: ClassVar[str] = ""
    """What a plan may choose it for, in a few words for the planner; empty: no plan may choose it."""
    tool_names: ClassVar[tuple[str, ...]] = ()
    """The builtin tools it is offered; empty: every tool there is."""
    tool_choice: ClassVar[ToolChoice] = "auto"
    """`required`: every reply has to be a call, so only `terminate` ends a run."""

    @property
    def untold(self) -> frozenset[str]:
        """Builtin tools it may call and is not told of in each request, as it has others that do the same."""
        return frozenset()

    def __init__(self, context: AgentContext, scope: Scope | None = None) -> None:
        """Serialise what is sent with each request once.

        Args:
            context: everything outside the agent's own logic.
            scope: the step of something larger that it does; None: it does the whole run.
        """
        super().__init__(context)
        self.scope = scope
        present, chosen = context.present_tools, Chosen(self.chosen)
        self.context = replace(
            self.context,
            tools=chosen(context.tools),
            present_tools=(lambda: chosen(present())) if present is not None else None,
        )
        self.tally, self.used_ids, self.readings = Tally(context.count), UsedIds(), Readings()
        self.tools_json = described(self.context.tools, self.untold)
        self.images: tuple[ModelImage, ...] = ()
        self.system = with_plan_first(self.system_prompt(self.current), self.current)

    def chosen(self, tools: ToolCollection) -> ToolCollection:
        """Which of the tools it is offered."""
        is_narrower = self.tool_names or self.scope is not None
        return offered(tools, self.tool_names, in_a_flow=self.scope is not None) if is_narrower else tools

    @property
    def mark(self) -> int:
        """How many messages of the session stand before `memory`."""
        return self.scope.mark(self.current) if self.scope is not None else 0

    @abstractmethod
    def system_prompt(self, run: RunState) -> str:
        """What the model is told before everything else; the same for a whole run."""

    async def think(self) -> None:
        """One model request. A reply without calls is the answer, or a question while plan steps are open."""
        await self.look_at_tools()
        self.images = await images_to_show(self.context, self.current)
        await self.make_room()
        known, edited_seq = len(self.memory), self.current.plan_edited_seq
        try:
            paid = await paid_reply(self.context, self.current, self.request)
        except ModelError as error:
            await self.without_reply(error)
            return
        if isinstance(paid, BudgetRefused):
            await self.refused(paid)
            return
        reply, before, spoken = paid.reply, self.current, len(self.memory) > known
        await self.learn_room(paid)
        step = before.spent.steps + 1
        proposed = proposed_calls(reply.calls, self.context.tools, prefix=f"{self.run_id}.{step}")
        replied = ModelReplied(
            run_id=self.run_id,
            step=step,
            text=self.context.redact(storable(reply.text)),
            message=reply.message,
            seen=tuple(image.name for image in self.images),
            calls=as_overtaken(proposed) if before.plan_edited_seq > edited_seq else proposed,
            edited_seq=edited_seq,
            usage=reply.usage,
            micros=paid.micros,
            elapsed_ms=paid.elapsed_ms,
        )
        if replied.calls:
            await self.proceed([replied, *paid.notes], [CallState(call=call, step=step) for call in replied.calls])
        elif spoken:
            await self.commit(replied, *paid.notes)  # Somebody spoke meanwhile: the next step answers that too.
        else:
            await self.commit(replied, *paid.notes, *await self.ending(reply, replied))
        await tell_of_return(self.context, before)

    async def without_reply(self, error: ModelError) -> None:
        """A model that is away is waited for, images that it does not take are told in words, else the run ends."""
        if isinstance(error, ImagesRefused | ContextTooLong) and self.images:
            await told_in_words(self.context, self.current, self.images, {})
            return
        reference = secrets.token_hex(4)
        logger.warning("run %s: no reply, reference %s: %s", self.run_id, reference, error.detail)
        if isinstance(error, ModelUnavailable) and (waiting := away(self.context, self.current, error)) is not None:
            await self.commit(waiting)
            await tell_of_outage(self.context, error)
            return
        await self.commit(self.finished(RunOutcome.FAILED, detail=f"{error.code}:{reference}"))

    async def refused(self, refused: BudgetRefused) -> None:
        """A limit of the ledger: a card where somebody may add to it, else the end."""
        mark = refused.mark
        if mark.scope.kind == "run":
            await self.halt(name_of(mark))
            return
        card = self.context.account.card(self.current, mark) if self.context.account else None
        detail = limit_detail(mark.scope.kind, name_of(mark), mark.limit)
        await self.commit(card or self.finished(RunOutcome.LIMIT, detail=detail))

    def request(self, share: float) -> ModelRequest:
        """The request for this step, with that share of the memory that fits."""
        fixed = Fixed(system=self.system, tools=self.tools_json, tool_choice=self.tool_choice, images=self.images)
        return next_request(self.context, self.current, self.memory, self.room, fixed, share, self.used_ids)

    @property
    def room(self) -> Room:
        """What the memory takes and may take beside everything else that is sent."""
        asked = self.tally.of(self.memory)
        return room_of(self.context, asked, system=self.system, tools=self.tools_json, images=self.images)

    async def make_room(self, reason: Reason = "size", tokens: int = 0) -> None:
        """Let a summary take the place of the older part of the memory, where it has become too long."""
        room = self.room if not tokens else replace(self.room, tokens=tokens)
        events = await shortened(self.context, self.current, self.memory, room, reason=reason, mark=self.mark)
        if events:
            await self.commit(*events)

    async def learn_room(self, paid: Paid) -> None:
        """Keep to what the model was found to read: it refused more, or dropped a part without a word."""
        if paid.share < 1:
            await self.make_room("refused", share_of(self.room, paid.share))
        elif not self.images:
            by, asked = (paid.reply.profile, paid.reply.model, self.system, self.tools_json), self.tally.total
            if truncated := self.readings.truncated(asked, self.room.tokens, paid.reply.usage, by):
                await self.make_room("truncated", truncated)

    async def ending(self, reply: ModelReply, replied: ModelReplied) -> Sequence[AnyEvent]:
        """What a reply without calls means for the run."""
        plan = self.current.plan
        if plan is not None and plan.has_open_steps and asks_something(replied.text):
            return [question(self.context, self.current, f"{self.run_id}.{replied.step}.q", replied.text)]
        checked = await self.checked(Proposal(answer=replied.text), by_call=False)
        if checked.goes_back:
            return checked.events
        detail = checked.detail or ("cut_off" if reply.is_cut_off else "")
        return [*checked.events, *self.ended(RunOutcome.ANSWERED, replied.text, detail)]

    def ended(self, outcome: RunOutcome, answer: str, detail: str) -> Sequence[AnyEvent]:
        """The end of the run, or of the step that it is about."""
        if self.scope is not None:
            return self.scope.ended(self.current, outcome, answer=answer, detail=detail)
        return [self.finished(outcome, answer=answer, detail=detail)]

    async def checked(self, proposal: Proposal, *, by_call: bool) -> Checked:
        """A proposed end held against what happened."""
        if self.scope is not None:
            return await self.scope.checked(self.context, self.current, proposal, by_call=by_call)
        return await checked_end(self.context, self.current, proposal, self.memory, by_call=by_call)

    async def act(self) -> None:
        """Take up the calls that have no result yet: after a verdict, an answer, or a crash."""
        await self.proceed([], [self.current.calls[call_id] for call_id in self.current.unresolved])

    async def proceed(self, events: Sequence[AnyEvent], calls: Sequence[CallState]) -> None:
        """Carry out calls in order until all have a result, one has to wait for a person, or the run ends.

        Args:
            events: not yet committed; they go with the next commit.
            calls: without result, in the model's order.
        """
        pending = list(events)
        plan, only_reads = self.current.plan, True
        # At most one step is ahead of the journal, and of that nothing that followed from an effect.
        await self.context.session.settled()
        for index, call in enumerate(calls):
            move = await next_move(self.context, self.current, call, plan)
            match move:
                case Refused():
                    pending.extend(move.events)
                case NeedsApproval():
                    card = await joined(self.context, self.current, move, calls[index + 1 :], plan)
                    await self.commit(*pending, card)
                    return
                case NeedsWord(asked=waiting):
                    await self.commit(*pending, waiting)
                    return
                case TooManyCards():
                    await self.commit(*pending, self.finished(RunOutcome.LIMIT, detail="cards"))
                    return
                case Cleared():
                    await self.commit(*pending, *move.intent, beside=move.changes_nothing and only_reads)
                    only_reads = move.changes_nothing
                    pending, ends_here = await self.carried_out(move)
                    if ends_here:
                        await self.commit(*pending)
                        return
            plan = newest_plan(pending, self.current.plan)
        # The next step begins with a request, which changes nothing; whatever it leads to is stored after this.
        await self.commit(*pending, beside=True)

    async def carried_out(self, move: Cleared) -> tuple[list[AnyEvent], bool]:
        """Run a cleared call; its events, and whether no further call may run now.

        Raises:
            LeaseLost: the session may be another runner's, so nothing was run.
        """
        if not self.context.session.may_act():
            raise LeaseLost(self.context.session.session_id, self.context.session.lease.token)
        call_id = move.started.call_id
        match await paid_call(self.context, self.current, move):
            case PersonAsked() as outcome:
                return [asked_by_call(self.context, self.current, outcome, call_id)], True
            case FinishProposed() as outcome:
                return await self.proposed_end(outcome, call_id)
            case CallFinished(plan=Plan()) as outcome if waits_for_plan(self.current):
                return [outcome, plan_question(self.context, self.current, f"{call_id}.plan")], True
            case CallFinished() as outcome:
                return [outcome], False

    async def look_at_tools(self) -> None:
        """Take up tools that came and let go of those that went, and tell the model."""
        present, before = self.context.present_tools, self.context.tools
        now = present() if present is not None else before
        if now is before:
            return
        self.context = replace(self.context, tools=now)
        self.tools_json = described(now, self.untold)
        gone = tuple(name for name in before.names if name not in now)
        new = tuple(name for name in now.names if name not in before)
        if gone or new:
            await self.commit(ToolsChanged(run_id=self.run_id, gone=gone, new=new))

    async def proposed_end(self, outcome: FinishProposed, call_id: str) -> tuple[list[AnyEvent], bool]:
        """The end that a call proposes, or what speaks against it as the call's result."""
        succeeded = outcome.status == "success"
        answer = self.context.redact(storable(outcome.answer))
        checked = await self.checked(Proposal(answer=answer, succeeded=succeeded), by_call=True)
        if checked.goes_back:
            failed = CallFinished(
                run_id=self.run_id, call_id=call_id, status=CallStatus.ERROR, output=checked.words, brief="not yet"
            )
            return [failed, *checked.events], False
        done = CallFinished(run_id=self.run_id, call_id=call_id, status=CallStatus.OK, output="The run ends.")
        ended = RunOutcome.ANSWERED if succeeded else RunOutcome.FAILED
        undone = left_undone(self.current, call_id) if self.scope is not None else ()
        return [done, *undone, *checked.events, *self.ended(ended, answer, checked.detail)], True
