"""The tagger that ships judges papers, and knows when it does not know."""

import math

import pytest

from classifiers import UNSURE, Tagger
from classifiers.screening import no_abstract

_POSITION = (
    "Audits of hiring tools should be public",
    "Companies test their hiring tools in private and publish what flatters them. We argue that "
    "this practice undermines trust and that the machine learning community should stop treating "
    "private audits as evidence. We discuss the objections that vendors raise, explain why they "
    "fail, and call for regulators, researchers and unions to agree on public audits. We end with "
    "recommendations for policymakers and an agenda for future research.",
)
_THEORY = (
    "Lower bounds for sorting with faulty comparisons",
    "We study the query complexity of sorting n items when each comparison errs with constant "
    "probability. We prove that any algorithm needs Omega(n log n) comparisons even when errors "
    "are persistent, and give a matching upper bound that holds with high probability. The proof "
    "reduces the problem to a random walk on permutations and may be of independent interest. As a "
    "corollary we obtain tight bounds for selection.",
)
_METHODS = (
    "FoldNet: faster mesh reconstruction",
    "Reconstructing meshes from a few photographs is slow. We propose FoldNet, a network that "
    "predicts folds of a template and refines them with attention. Experiments on three benchmarks "
    "show that FoldNet outperforms state-of-the-art methods by 4.1 points while running six times "
    "faster. Ablation studies confirm the value of each component. Code and pretrained models are "
    "available at https://example.org/foldnet.",
)
_JUSTIFIED = (
    "",
    "We propose a novel regularizer for training image classifiers on noisy labels. The "
    "regularizer is simple and works with any architecture. We provide a theoretical justification "
    "of our method by bounding its excess risk. Extensive experiments on CIFAR-10, CIFAR-100 and "
    "Clothing1M demonstrate that it consistently outperforms existing baselines.",
)


def test_plain_papers_get_their_tags(shipped: Tagger) -> None:
    judged = shipped.judge([_POSITION, _THEORY, _METHODS])
    assert [judgement.tag for judgement in judged] == ["position", "theory", "methods"]


def test_a_method_with_theoretical_justification_is_no_theory(shipped: Tagger) -> None:
    assert shipped.judge([_JUSTIFIED])[0].tag == "methods"


def test_papers_without_titles_are_judged_too(shipped: Tagger) -> None:
    judged = shipped.judge([("", abstract) for _, abstract in (_POSITION, _THEORY, _METHODS)])
    assert [judgement.likeliest for judgement in judged] == ["position", "theory", "methods"]


def test_probabilities_add_up_and_do_not_depend_on_the_batch(shipped: Tagger) -> None:
    papers = [_POSITION, ("", ""), _THEORY, _METHODS, _JUSTIFIED] * 60
    together = shipped.judge(papers)
    assert together[:5] == [shipped.judge([paper])[0] for paper in papers[:5]]
    assert together[:5] * 60 == together
    for judgement in together[:5]:
        assert math.isclose(sum(judgement.probabilities.values()), 1, abs_tol=1e-9)


def test_nothing_in_gives_nothing_out(shipped: Tagger) -> None:
    assert shipped.judge([]) == []


@pytest.mark.parametrize(
    ("abstract", "reason"),
    [
        ("", "There is no abstract."),
        (" \n", "There is no abstract."),
        ("Withdrawn.", "The abstract has only one word."),
        ("We prove tight bounds for this problem and its dual.", "The abstract has only 10 words."),
        (
            "This paper has been withdrawn by the authors due to an error in the proof of the main "
            "theorem of section three.",
            "The paper seems to be withdrawn.",
        ),
        (
            "Nous démontrons des bornes optimales pour le regret dans les jeux répétés, et nous "
            "montrons que ces bornes sont atteintes par un algorithme simple et efficace.",
            "The abstract does not read like English prose.",
        ),
        (
            "Wir zeigen, dass das vorgeschlagene Verfahren auf vier Datensätzen besser ist als "
            "der Stand der Technik, und beweisen die Konvergenz unter schwachen Annahmen.",
            "The abstract does not read like English prose.",
        ),
        (
            "本文提出了一种新的方法 for the training of a model in this paper 并在多个数据集上"
            "进行了实验 and the results are better 证明了其有效性",
            "The abstract does not read like English prose.",
        ),
        (
            "def train(model, data):\n    for batch in data:\n        loss = model(batch)\n"
            "        loss.backward()\n        optimizer.step()\n    return model",
            "The abstract does not read like English prose.",
        ),
        (
            "Model Acc F1 Params Ours 94.1 93.2 12M BERT 91.0 90.2 110M RoBERTa 92.3 91.8 125M T5 "
            "93.0 92.1 220M XLNet 92.8 92.0 110M",
            "The abstract does not read like English prose.",
        ),
        (
            "Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod tempor "
            "incididunt ut labore et dolore magna aliqua. Ut enim ad minim veniam.",
            "The abstract does not read like English prose.",
        ),
        (
            "1 Introduction 2 Related work 3 Method 3.1 Architecture 3.2 Training 4 Experiments "
            "4.1 Datasets 4.2 Results 5 Conclusion References Appendix A Proofs",
            "The abstract does not read like English prose.",
        ),
        (
            "// the model is trained with the data and the loss is added to the list of losses\n"
            "for (int i = 0; i < n; i++) { sum += a[i] * b[i]; } /* this is the sum of them */\n"
            "return sum / n; // and the mean of it is returned to the caller of this function",
            "The abstract reads like program text.",
        ),
        ("we prove that " * 30, "The abstract says the same few words again and again."),
        (
            "This submission has been withdrawn by the administrators because the submitter did "
            "not have the right to agree to the license at the time of submission. " * 3,
            "The paper seems to be withdrawn.",
        ),
        *(
            (
                f"{notice} We prove that every learner of halfspaces needs a number of examples "
                "that grows with the dimension, that this bound is tight, and that no algorithm "
                "in polynomial time attains it unless a conjecture is false that is widely "
                "believed; we discuss what this means for the theory of learning in general.",
                "The paper seems to be withdrawn.",
            )
            for notice in (
                "The authors have withdrawn this paper because of an error.",
                "RETRACTED: The authors withdrew this article.",
                "Withdrawn by the authors.",
                "[Withdrawn]",
                "We have withdrawn our submission due to a mistake in Lemma 2.",
                "Retracted due to a crucial error.",
            )
        ),
        (
            "我们证明了该算法的遗憾界是最优的,并在多个基准上进行了实验。",
            "The abstract does not read like English prose.",
        ),
    ],
)
def test_a_text_that_is_no_abstract_is_unsure_and_says_why(
    shipped: Tagger, abstract: str, reason: str
) -> None:
    judged = shipped.judge([("We prove tight bounds", abstract)], reasons=True)[0]
    assert judged.tag == UNSURE
    assert judged.secondary is None
    assert judged.probabilities == shipped.card.natural_mix
    assert [why.text for why in judged.reasons] == [reason]


@pytest.mark.parametrize(
    "abstract",
    [
        "The city council met on Tuesday to discuss the new budget for the roads. Several members "
        "of the public spoke against the plan, and the vote was put off until the spring.",
        "See the full text for the abstract of this paper, which is not available on the site of "
        "the publisher at this time.",
        "The page that you asked for is not found on this server. Please go back to the start page "
        "of the site and try to find it from there with the search.",
    ],
)
def test_a_title_alone_decides_nothing(shipped: Tagger, abstract: str) -> None:
    judged = shipped.judge(
        [("Theorems: optimal regret lower bounds, proofs", abstract)], reasons=True
    )[0]
    assert judged.tag == UNSURE
    assert [why.text for why in judged.reasons] == [
        "The abstract is short, and without the title it could be anything."
    ]


def test_a_short_abstract_that_says_what_it_does_is_tagged(shipped: Tagger) -> None:
    told = (
        "We prove that any online algorithm for this problem has regret of order sqrt(T), and give "
        "a matching upper bound."
    )
    assert shipped.judge([("Optimal bounds for bandits", told)])[0].tag == "theory"


def test_half_argument_half_method_is_unsure_or_has_a_second_tag(shipped: Tagger) -> None:
    mixed = (_POSITION[0], f"{_POSITION[1]} {_METHODS[1]}")
    judged = shipped.judge([mixed])[0]
    assert judged.tag == UNSURE or judged.secondary is not None


def test_below_the_threshold_the_tag_is_unsure_and_above_it_is_not(shipped: Tagger) -> None:
    words = _METHODS[1].split()
    for cut in range(20, len(words), 5):
        judged = shipped.judge([("", " ".join(words[:cut]))])[0]
        sure = max(judged.probabilities.values()) >= shipped.card.threshold
        assert (judged.tag != UNSURE) == sure


def test_an_announcement_does_not_change_the_tag(shipped: Tagger) -> None:
    announced = (
        f"Position: {_POSITION[0]}",
        f"In this position paper we take a stand. {_POSITION[1]}",
    )
    with_it, without = shipped.judge([announced, _POSITION])
    assert with_it.tag == without.tag == "position"
    assert with_it.probabilities["position"] >= without.probabilities["position"]


@pytest.mark.parametrize(
    "opening",
    [
        "Withdrawn drugs are a rich source of data on the harm that chemistry does.",
        "We withdraw the assumption of bounded noise that all earlier work on this makes.",
        "Retracted papers are cited for years after their retraction, as we measure here.",
        "This paper asks why retracted articles are cited, and for how long.",
    ],
)
def test_an_abstract_about_withdrawals_is_an_abstract(opening: str) -> None:
    rest = " We train a model on the records of forty years and evaluate it on held-out ones." * 4
    assert no_abstract(("", opening + rest)) is None
