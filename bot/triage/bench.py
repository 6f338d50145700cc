"""What only computes in a reading: tags papers and builds segments of them, piece by piece.

`python -m bot.triage.bench` is the second process of `bot.triage.workshop`. It imports little, so
that it is soon at work.
"""

from __future__ import annotations

import gc
import os
import pickle
import signal
import sys
import threading
from dataclasses import replace
from queue import SimpleQueue
from typing import TYPE_CHECKING, BinaryIO, Final, cast

from data.index.building import Builder
from data.index.lexicon import Lexicon
from data.records import TagJudgement, own_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from classifiers import Tagger
    from data.index import IndexDocument
    from data.index.arrays import AnyArray
    from data.records import TagName

MOST_EXACT: Final = 50


def judge(
    tagger: Tagger, texts: Sequence[tuple[str, str]], *, reasons: bool = False
) -> list[TagJudgement]:
    """What the tagger says of each (title, abstract), as values that the store keeps.

    Reasons of more than `MOST_EXACT` papers are estimated by their share of the score; of fewer,
    each is weighed by judging the paper without it, which takes ten times as long.
    """
    model = tagger.card.model_id
    return [
        TagJudgement(
            tag=_name(judgement.tag),
            secondary=_name(judgement.secondary) if judgement.secondary else None,
            probabilities=dict(judgement.probabilities),
            reasons=tuple((reason.text, reason.weight) for reason in judgement.reasons),
            model=model,
        )
        for judgement in tagger.judge(texts, reasons=reasons, exact=len(texts) <= MOST_EXACT)
    ]


def _name(tag: str) -> TagName:
    match tag:
        case "position" | "theory" | "methods" | "unsure":
            return tag
        case _:
            raise ValueError(f"the tagger gave an unknown tag: {tag!r}")


class Bench:
    """Tags papers, and keeps what it read of them until a segment is asked for."""

    def __init__(self, tagger: Tagger) -> None:
        self._tagger = tagger
        self._lexicon = Lexicon()
        self._builder = Builder(self._lexicon)

    def take(self, documents: Sequence[IndexDocument]) -> list[TagJudgement]:
        """A judgement for each paper, without reasons; the papers are in the next segment."""
        texts = [own_text(d.title, d.abstract, derived=d.title_derived) for d in documents]
        judged = judge(self._tagger, texts)
        self._builder.add(
            replace(document, tag=judgement.tag)
            for document, judgement in zip(documents, judged, strict=True)
        )
        return judged

    def arrays(self) -> dict[str, AnyArray]:
        """The arrays of the segment of the papers taken since the last one."""
        arrays = self._builder.build().arrays
        if self._lexicon.is_full:
            self._lexicon = Lexicon()
        self._builder = Builder(self._lexicon)
        return dict(arrays)


def main() -> None:
    """Serves another process: a tagger, then papers to take, or None for the arrays of them.

    Each comes pickled on the standard input, and each answer goes to the standard output; a text
    says what went wrong. It ends with its input, at once.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that was called
    gc.set_threshold(100_000)  # what is made here has no cycles, and there is much of it
    answers = sys.stdout.buffer
    sys.stdout = sys.stderr  # what somebody prints is no answer
    asked: SimpleQueue[object] = SimpleQueue()
    threading.Thread(target=_listen, args=(sys.stdin.buffer, asked), daemon=True).start()
    bench = Bench(cast("Tagger", asked.get()))
    while True:
        documents = cast("Sequence[IndexDocument] | None", asked.get())
        try:
            answer = bench.arrays() if documents is None else bench.take(documents)
        except Exception as error:  # noqa: BLE001 - whoever asked does it, and sees a real fault
            answer = f"{type(error).__name__}: {error}"
        pickle.dump(answer, answers, pickle.HIGHEST_PROTOCOL)
        answers.flush()


def _listen(requests: BinaryIO, asked: SimpleQueue[object]) -> None:
    try:
        while True:
            asked.put(pickle.load(requests))  # noqa: S301 - it comes from the process that began this one
    finally:
        os._exit(0)


if __name__ == "__main__":
    main()
