"""How well the order learnt from votes finds what a team wants, next to what else there is.

Teams are simulated on the last 90 daily listings of the corpus: a team votes for the papers of one
narrow subject, 60 listings long, and each of the following 30 is put in order after learning from
all votes before it (anew every fifteen listings). A subject is either

- a keyword: papers with it in the title, or twice in title and abstract. The words that define it
  are then taken out of every paper, so that nobody can find it by its name; or
- one or two of arXiv's categories that few papers have. Words decide who belongs, by the authors'
  own judgement. Categories are the answer here, so results without them are what counts.

A team overlooks 15 papers of a hundred of its subject, or votes for about 20 or 8 in 60 listings
and goes on at that pace; one vote in ten more is for a random other paper. Average precision is
taken over all papers of the subject, day by day, and averaged by day and then by team.

The settings of `classifiers.interest` were chosen on every second subject (`--tuned` shows those)
and a dozen more; the figures come from the others. The rival is what arxiv-sanity-lite does:
scikit-learn's TF-IDF with its settings, and a linear SVM of the votes against all other papers.

Run `python -m tests.benchmarks.interest [--tuned]`; it takes some minutes.
"""

from __future__ import annotations

import gzip
import json
import re
import sys
import time
from collections import defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np
import pytest
from scipy import sparse

from classifiers.interest import Interest
from classifiers.subjects import PaperText, Space, Vectors
from tests.conftest import SHARED

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

CORPUS = SHARED / "corpus" / "arxiv-daily.jsonl.gz"
LEARN, GRADE, EVERY = 60, 30, 15
SEED: Final = 20261201
LEVELS: Final = (8, 20, 0)  # votes in the days to learn from; 0 for nearly all of the subject

KEYWORDS: Final = {
    "videos made by diffusion": r"video (?:diffusion|generat\w*)",
    "federated learning": r"federated",
    "bandits": r"\bbandits?\b",
    "proteins": r"\bproteins?\b",
    "unlearning": r"unlearning",
    "jailbreaks": r"jailbreak\w*",
    "quantization": r"quantiz\w*",
    "speech recognition": r"speech recognition|\bASR\b",
    "autonomous driving": r"autonomous driving",
    "watermarks": r"watermark\w*",
    "graph neural networks": r"graph neural",
    "mixtures of experts": r"mixture[- ]of[- ]experts|\bMoE\b",
    "KV caches": r"KV[- ]cache\w*",
    "speculative decoding": r"speculative",
    "optimal transport": r"optimal transport|wasserstein",
    "neural operators": r"neural operators?|physics-informed",
    "molecules": r"molecul\w*",
    "brain signals": r"\bEEG\b|brain-computer",
    "Gaussian splatting": r"splatting",
    "sparse autoencoders": r"sparse autoencoders?",
    "machine translation": r"machine translation",
    "robots that follow words": r"vision-language-action|\bVLAs?\b",
    "diffusion language models": r"diffusion (?:large )?language models?",
    "agents on the web": r"(?:web|GUI) agents?",
}
CATEGORIES: Final = (
    ("cs.GT", "cs.LG"),
    ("cs.MA",),
    ("cs.RO", "cs.CV"),
    ("cs.RO", "cs.AI"),
    ("cs.CE",),
    ("cs.IR",),
    ("cs.HC",),
    ("cs.MM",),
    ("eess.IV",),
    ("eess.SP",),
    ("cs.SE",),
    ("cs.SD",),
    ("cs.CR", "cs.AI"),
    ("cs.CY",),
    ("cs.GR", "cs.CV"),
    ("cs.IT", "cs.LG"),
    ("q-bio.NC",),
    ("q-bio.BM",),
    ("q-bio.QM",),
    ("econ.TH",),
    ("math.OC",),
    ("stat.ML",),
    ("cs.DS",),
    ("cs.NI",),
)


@dataclass(frozen=True, slots=True)
class Subject:
    """Which papers belong, and the words to take out of all of them."""

    kind: str
    name: str
    belongs: np.ndarray
    hidden: re.Pattern[str] | None


@dataclass(frozen=True, slots=True)
class Papers:
    """The papers of 90 listings in order; `days` counts the listings from 0."""

    texts: list[PaperText]
    days: np.ndarray

    @classmethod
    def read(cls, path: Path) -> Papers:
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            found = [json.loads(line) for line in lines]
        last = sorted({paper["announced"] for paper in found})[-(LEARN + GRADE) :]
        numbers = {day: number for number, day in enumerate(last)}
        kept = sorted(
            (paper for paper in found if paper["announced"] in numbers),
            key=lambda paper: numbers[paper["announced"]],
        )
        texts = [
            PaperText(
                paper["title"],
                paper["abstract"],
                tuple(paper["authors"]),
                tuple(paper["categories"]),
            )
            for paper in kept
        ]
        return cls(texts, np.array([numbers[paper["announced"]] for paper in kept]))


def subjects(papers: Papers, *, tuned: bool) -> list[Subject]:
    """Every second subject: those that settings were tuned on, or those for the figures."""
    chosen: list[Subject] = []
    for name, pattern in list(KEYWORDS.items())[not tuned :: 2]:
        regex = re.compile(pattern, re.IGNORECASE)
        belongs = [
            bool(regex.search(text.title))
            or len(regex.findall(f"{text.title}. {text.abstract}")) > 1
            for text in papers.texts
        ]
        words = re.findall(r"[A-Za-z]{3,}", re.sub(r"\\[bw]", " ", pattern))
        hidden = re.compile(rf"\b(?:{'|'.join(words)})\w*", re.IGNORECASE)
        chosen.append(Subject("keyword", name, np.array(belongs), hidden))
    for names in CATEGORIES[not tuned :: 2]:
        belongs = [set(names) <= set(text.fields) for text in papers.texts]
        chosen.append(Subject("category", " and ".join(names), np.array(belongs), None))
    return chosen


def votes_of(subject: Subject, papers: Papers, level: int, rng: np.random.Generator) -> np.ndarray:
    """For which papers the team votes."""
    learning = papers.days < LEARN
    count = int((subject.belongs & learning).sum())
    share = min(0.85, level / count) if level else 0.85
    voted = subject.belongs & (rng.random(len(papers.days)) < share)
    stray = max(1, round(0.1 * int((voted & learning).sum()))) / learning.sum()
    return voted | (~subject.belongs & (rng.random(len(papers.days)) < stray))


def sanity_texts(texts: Sequence[PaperText]) -> list[str]:
    """Papers as arxiv-sanity-lite reads them."""
    return [" ".join([text.title, text.abstract, " ".join(text.authors)]) for text in texts]


class Features:
    """Both kinds of vectors of all papers, learnt from the first 60 listings."""

    def __init__(self, papers: Papers) -> None:
        from sklearn.feature_extraction.text import TfidfVectorizer

        self._papers = papers
        first = [text for text, day in zip(papers.texts, papers.days, strict=True) if day < LEARN]
        self._space = Space.of(first)
        self._sanity = TfidfVectorizer(
            strip_accents="unicode",
            stop_words="english",
            token_pattern=r"(?u)\b[a-zA-Z_][a-zA-Z0-9_]+\b",  # noqa: S106 - a pattern of words
            ngram_range=(1, 2),
            max_features=20_000,
            sublinear_tf=True,
            max_df=0.1,
            min_df=5,
        ).fit(sanity_texts(first))
        self._ours = self._space.vectors(papers.texts)
        self._theirs = self._sanity.transform(sanity_texts(papers.texts)).tocsr()

    def of(self, subject: Subject) -> tuple[Vectors, sparse.csr_matrix]:
        """Ours and theirs, without the words that define the subject."""
        if subject.hidden is None:
            return self._ours, self._theirs
        rows, texts = [], []
        for row, text in enumerate(self._papers.texts):
            title, abstract = (
                subject.hidden.sub(" ", part) for part in (text.title, text.abstract)
            )
            if (title, abstract) != (text.title, text.abstract):
                rows.append(row)
                texts.append(replace(text, title=title, abstract=abstract))
        places = np.arange(len(self._ours))
        places[rows] = len(self._ours) + np.arange(len(rows))
        ours = self._ours.with_more(self._space.vectors(texts)).taken(places)
        new = self._sanity.transform(sanity_texts(texts))
        return ours, sparse.vstack([self._theirs, new]).tocsr()[places]


Ranker = "Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]"


def rankers(ours: Vectors, theirs: sparse.csr_matrix) -> dict[str, Ranker]:
    """Scores for the rows `asked`, after learning from the rows `seen` and their votes."""
    from sklearn.svm import LinearSVC

    def newest(seen: np.ndarray, voted: np.ndarray, asked: np.ndarray) -> np.ndarray:
        return -np.arange(len(asked))

    def svm(seen: np.ndarray, voted: np.ndarray, asked: np.ndarray) -> np.ndarray:
        model = LinearSVC(class_weight="balanced", max_iter=10_000, tol=1e-4, C=0.01)
        return model.fit(theirs[seen], voted).decision_function(theirs[asked])

    def learnt(vectors: Vectors) -> Ranker:
        def score(seen: np.ndarray, voted: np.ndarray, asked: np.ndarray) -> np.ndarray:
            wanted = dict.fromkeys(np.flatnonzero(voted).tolist(), 1.0)
            return Interest.of(vectors.taken(seen), wanted).scores(vectors.taken(asked))

        return score

    bare = replace(ours, fields=sparse.csr_matrix(ours.fields.shape, dtype=np.float32))
    return {
        "newest first": newest,
        "linear SVM": svm,
        "ours, without categories": learnt(bare),
        "ours": learnt(ours),
    }


def average_precision(order: np.ndarray, belongs: np.ndarray) -> float:
    """The mean of the precisions at the places of the papers that belong."""
    places = np.flatnonzero(belongs[order])
    return float(np.mean((np.arange(len(places)) + 1) / (places + 1)))


def with_room(order: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The order with every fifth place given to a paper of the lower half, as in a digest."""
    lower = list(rng.permutation(order[(len(order) + 1) // 2 :]))
    mixed: dict[int, None] = {}
    upper = iter(order)
    while len(mixed) < len(order):
        source = iter(lower) if len(mixed) % 5 == 4 else upper
        pick = next((row for row in source if row not in mixed), None)
        mixed[next(row for row in order if row not in mixed) if pick is None else pick] = None
    return np.array(list(mixed))


def replay(
    papers: Papers, chosen: Sequence[Subject], features: Features
) -> dict[tuple[str, str, int], list[float]]:
    """The mean average precision of each team, by ranker, kind of subject and level of votes."""
    found: dict[tuple[str, str, int], list[float]] = defaultdict(list)
    for number, subject in enumerate(chosen):
        ways = rankers(*features.of(subject))
        for level in LEVELS:
            # The same dice for each subject, so that one alone gives the same figures.
            rng = np.random.default_rng([SEED, 0, level])
            voted = votes_of(subject, papers, level, rng)
            daily: dict[str, list[float]] = defaultdict(list)
            for start in range(LEARN, LEARN + GRADE, EVERY):
                seen = np.flatnonzero(papers.days < start)
                asked = np.flatnonzero((papers.days >= start) & (papers.days < start + EVERY))
                for name, way in ways.items():
                    scores = way(seen, voted[seen], asked)
                    for day in range(start, start + EVERY):
                        today = papers.days[asked] == day
                        belongs = subject.belongs[asked[today]]
                        if belongs.any():
                            order = np.argsort(-scores[today], kind="stable")
                            daily[name].append(average_precision(order, belongs))
                            if name == "ours":
                                mixed = with_room(order, rng)
                                daily["ours, with room"].append(average_precision(mixed, belongs))
            for name, values in daily.items():
                found[name, subject.kind, level].append(float(np.mean(values)))
        print(f"{number + 1}/{len(chosen)} {subject.name}", file=sys.stderr)  # noqa: T201 - progress
    return found


def table(found: dict[tuple[str, str, int], list[float]]) -> str:
    """The figures as a table in Markdown, with the gain on the SVM."""
    names = list(dict.fromkeys(name for name, _, _ in found))
    columns = [(kind, level) for kind in ("keyword", "category") for level in LEVELS]
    heads = [f"{kind}, {level or 'most'}" for kind, level in columns]
    rows = [f"| | {' | '.join(heads)} | all | to the SVM |", "|---|" + "---:|" * (len(columns) + 2)]
    means = {name: [float(np.mean(found[name, *column])) for column in columns] for name in names}
    rival = float(np.mean(means["linear SVM"]))
    for name in names:
        whole = float(np.mean(means[name]))
        cells = " | ".join(f"{value:.3f}" for value in [*means[name], whole])
        rows.append(f"| {name} | {cells} | {whole / rival - 1:+.1%} |")
    return "\n".join(rows)


def ten_thousand(papers: Papers, features: Features) -> tuple[float, float]:
    """CPU seconds to learn from 30 votes in all papers, and to vectorise and rank 10,000."""
    vectors = features._space.vectors(papers.texts)
    start = time.process_time()
    model = Interest.of(vectors, dict.fromkeys(range(0, 3_000, 100), 1.0))
    learnt = time.process_time() - start
    start = time.process_time()
    asked = features._space.vectors(papers.texts[:10_000])
    np.argsort(-model.scores(asked))
    model.likenesses(asked)
    return learnt, time.process_time() - start


@pytest.mark.benchmark
def test_the_order_learnt_beats_newest_first_and_the_svm(shared: Path) -> None:
    papers = Papers.read(shared / "corpus" / CORPUS.name)
    features = Features(papers)
    found = replay(papers, subjects(papers, tuned=False)[::4], features)
    print("\n" + table(found))  # noqa: T201 - printing is what it is for
    whole = {
        name: np.mean([np.mean(values) for (way, *_), values in found.items() if way == name])
        for name in ("newest first", "linear SVM", "ours")
    }
    assert whole["ours"] > whole["linear SVM"] > whole["newest first"]


def main() -> None:
    """Prints the table and the times."""
    papers = Papers.read(CORPUS)
    features = Features(papers)
    learnt, ranked = ten_thousand(papers, features)
    print(f"learnt in {learnt:.2f} s, 10,000 ranked in {ranked:.2f} s of CPU")  # noqa: T201 - as above
    chosen = subjects(papers, tuned="--tuned" in sys.argv)
    print(table(replay(papers, chosen, features)))  # noqa: T201 - as above


if __name__ == "__main__":
    main()
