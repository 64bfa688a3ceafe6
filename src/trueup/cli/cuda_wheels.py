"""`trueup cuda use` by wheels: shown with sizes and reasons, agreed to, brought, and undoable."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timezone
from typing import TYPE_CHECKING

from trueup.values import Message, TrueupError

if TYPE_CHECKING:
    from trueup.cli.session import Session
    from trueup.keep.cuda.bring import Bringing
    from trueup.machine.inventory.model import Environment, Survey
    from trueup.setup.changes import Store
    from trueup.setup.uv import Uv


@dataclass(frozen=True, slots=True)
class Wheels:
    """`because`: why no toolkit of this PC was taken; None where wheels were asked for."""

    session: Session
    mirrors: tuple[str, ...]
    because: Message | None
    dry_run: bool = False
    yes: bool = False
    as_json: bool = False

    def run(self, survey: Survey, environment: Environment, line: str) -> int:
        from trueup.cli.mirroring import with_sources
        from trueup.cli.places import changes_store, load
        from trueup.keep.cuda.bring import plan
        from trueup.keep.cuda.use import check_asked
        from trueup.keep.cuda.wanted import wanted

        check_asked(line)
        facts = load()
        asked = wanted(facts, survey, environment, line)
        store = changes_store()

        def act(uv: Uv) -> int:
            return self._act(uv, plan(uv, facts, survey, environment, asked), store)

        return with_sources(self.session, self.mirrors, act)

    def _act(self, uv: Uv, bringing: Bringing, store: Store) -> int:
        from trueup.keep.cuda.bring import check_room
        from trueup.keep.cuda.placing import bring
        from trueup.report.building import Building
        from trueup.report.cuda_use import wheels_text
        from trueup.report.progress import progress

        if not self.as_json:
            self.session.out(wheels_text(bringing, self.because, self.session.lang))
        if bringing.items:
            check_room(uv, bringing)
        if self.dry_run:
            return self._end(bringing, "planned", 0)
        if bringing.items and not self.yes and not self._agreed():
            return self._end(bringing, "declined", 1)
        stamp = datetime.now(timezone.utc).strftime("%Y%m%d-%H%M%S")
        view = progress(self.session.talk, quiet=self.as_json or not bringing.items)
        view.start(self.session.text("cuda.use-brings"))
        try:
            made = bring(uv, bringing, store, stamp, Building(view, (), self.session.lang).show)
        finally:
            view.close()
        return self._end(bringing, "done" if made else "already", 0)

    def _agreed(self) -> bool:
        from trueup.cli.asking import agreed

        nobody = TrueupError(Message("cuda.needs-yes"), Message("cuda.needs-yes-hint"))
        return agreed(self.session, "cuda.use-ask", nobody, as_json=self.as_json)

    def _end(self, bringing: Bringing, outcome: str, code: int) -> int:
        from trueup.report.cuda_use import outcome_text, wheels_data

        if self.as_json:
            self.session.out_json(wheels_data(bringing, self.because, outcome, self.session.lang))
        else:
            told = outcome_text(outcome, bringing.wanted.line, bringing.environment.path, self.session.lang)
            self.session.out("\n" + told)
        return code
