"""Terms as papers write them: what finds what, and what must not be found."""

from __future__ import annotations

import pytest

from tests.data.index.helpers import found, index_of, paper, titled

LIBRARY = {
    "gpt4": "Probing GPT-4 on legal reasoning",
    "gpt3": "GPT-3 fails on 4 legal tasks",
    "knn": "A kNN classifier for graphs",
    "k-nn": "Fast k-NN search",
    "nn": "An NN with k layers",
    "tsne": "Embedding cells with t-SNE",
    "resnet": "ResNet-50 revisited",
    "resnet101": "ResNet-101 and 50 epochs",
    "cpp": "Verified parsing in C++",
    "csharp": "Static checks for C# programs",
    "c": "Static checks for C programs",
    "f1": "Why the F1 score misleads",
    "3d": "Generating 3D shapes",
    "it": "Managing IT services",
    "it-word": "When it rains: weather and how it is forecast",
    "aids": "Modelling AIDS incidence",
    "aid": "Teaching aids for pupils",
    "l2": "Robustness in the L2 norm",
    "l1": r"Sparse recovery by $\ell_1$ minimisation",
    "alpha": r"Estimating the $\alpha$-divergence",
    "alpha-word": "Bounds on alpha-divergence measures",
    "m3hf": "M³HF: feedback from many phases",
    "in-context": "In-context learning of rules",
    "in context": "Words seen in context only",
    "behaviour": "Emergent behaviour of swarms",
    "behavior": "Animal behavior at night",
    "pre-training": "Pre-training on code",
    "pretraining": "Pretraining for speech",
    "optimise": "How to optimise schedules",
    "optimization": "Convex optimization basics",
    "rl": "RL for robots",
    "world": "Curly world models and URL lists",
    "llama": "Distilling Llama 2",
    "paper-search": "论文检索系统的评测",
    "diffusion-zh": "扩散模型综述",
    "rl-ja": "深層強化学習の理論",
    "ko": "검색 시스템 평가",
    "erdos": "Erdős graphs at the threshold",
    "schroedinger": "Neural solvers for the Schrödinger equation",
    "gans": "GANs that do not collapse",
}
NUMBERS = {name: number for number, name in enumerate(LIBRARY, 1)}


@pytest.fixture(scope="module")
def library():
    return titled(*LIBRARY.values())


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("GPT-4", {"gpt4"}),
        ("GPT4", {"gpt4"}),
        ("gpt-4", {"gpt4"}),
        ("GPT", {"gpt4", "gpt3"}),
        ("k-NN", {"knn", "k-nn"}),
        ("kNN", {"knn", "k-nn"}),
        ("t-SNE", {"tsne"}),
        ("tSNE", {"tsne"}),
        ("ResNet-50", {"resnet"}),
        ("resnet50", {"resnet"}),
        ("C++", {"cpp"}),
        ("C#", {"csharp"}),
        ("F1", {"f1"}),
        ("3D", {"3d"}),
        ("IT", {"it"}),
        ("AIDS", {"aids"}),
        ("L2", {"l2"}),
        ("L_2", {"l2"}),
        (r"$L_2$", {"l2"}),
        ("ℓ₁", {"l1"}),
        (r"$\ell_1$", {"l1"}),
        (r"\ell_1", {"l1"}),
        (r"\ell_{1}", {"l1"}),
        ("ℓ_1", {"l1"}),
        ("L1", {"l1"}),
        ("alpha-divergence", {"alpha", "alpha-word"}),
        ("α-divergence", {"alpha", "alpha-word"}),
        (r"$\alpha$-divergence", {"alpha", "alpha-word"}),
        ("M³HF", {"m3hf"}),
        ("M3HF", {"m3hf"}),
        ("in-context", {"in-context", "in context"}),
        ('"in context"', {"in-context", "in context"}),
        ('"in-context"', {"in-context", "in context"}),
        ("in context", {"in-context", "in context"}),
        ("behaviour", {"behaviour", "behavior"}),
        ("behavior", {"behaviour", "behavior"}),
        ("behaviours", {"behaviour", "behavior"}),
        ("pretraining", {"pre-training", "pretraining"}),
        ("pre-training", {"pre-training", "pretraining"}),
        ("optimisation", {"optimise", "optimization"}),
        ("optimizing", {"optimise", "optimization"}),
        ("RL", {"rl"}),
        ("llama-2", {"llama"}),
        ("论文检索", {"paper-search"}),
        ("检索", {"paper-search"}),
        ("扩散模型", {"diffusion-zh"}),
        ("強化学習", {"rl-ja"}),
        ("검색", {"ko"}),
        ("Erdos", {"erdos"}),
        ("Schrodinger", {"schroedinger"}),
        ("Schroedinger", {"schroedinger"}),
        ("GAN", {"gans"}),
    ],
)
def test_a_term_finds_just_the_papers_that_mean_it(library, query, names):
    assert set(found(library, query)) == {NUMBERS[name] for name in names}


def test_quotes_switch_stemming_off():
    index = titled("Learning graphs", "A learned graph")

    assert set(found(index, "graphs")) == {1, 2}
    assert found(index, '"graphs"') == [1]
    assert found(index, '"learned graph"') == [2]


def test_a_phrase_does_not_reach_over_the_end_of_the_title():
    index = index_of(paper(1, "Deep nets", "Learning rates matter."), paper(2, "Nets learning"))

    assert found(index, '"nets learning"') == [2]


def test_a_phrase_of_common_words_is_found_as_one_of_rare_words_is(monkeypatch):
    papers = (
        paper(1, "Models for graphs", "Graphs of models."),
        paper(2, "Graph models", "We have models for graphs."),
        paper(3, "For models", "Modelsfor graphs, models forgraphs."),
    )
    queries = ('"models for"', '"for models"', 'title:"models for graphs"', 'abstract:"models for"')
    for share in (0, 1_000):
        monkeypatch.setattr("data.index.segment._WHOLE_SHARE", share)

        index = index_of(*papers)
        assert [set(found(index, query)) for query in queries] == [{1, 2}, {3}, {1}, {2}]


AUTHORS = (
    paper(1, "First", authors=["António Araújo"]),
    paper(2, "Second", authors=["Jürgen Müller"]),
    paper(3, "Third", authors=["Anna Mueller"]),
    paper(4, "Fourth", authors=["Otto Muller", "Wei Zhang"]),
    paper(5, "Fifth", authors=["Wei Li", "Bo Zhang"]),
    paper(6, "Sixth", authors=["Dong-Kyu Chae"]),
    paper(7, "Seventh", authors=["王小明"]),
    paper(8, "Eighth", authors=["李 明"]),
    paper(9, "Ninth", authors=["李明"]),
    paper(10, "Tenth", authors=["李小明"]),
    paper(11, "Eleventh", authors=["明 李", "李 小"]),
    paper(12, "Twelfth", authors=["李 小 明"]),
)


@pytest.mark.parametrize(
    ("query", "numbers"),
    [
        ("author:Müller", {2, 3, 4}),
        ("author:Mueller", {2, 3, 4}),
        ("author:muller", {2, 3, 4}),
        ("Mueller", {2, 3, 4}),
        ('author:"António Araújo"', {1}),
        ('author:"Araujo, Antonio"', {1}),
        ("araujo antonio", {1}),
        ('author:"Wei Zhang"', {4}),
        ("author:dong-kyu", {6}),
        ("author:chae", {6}),
        ("author:王小明", {7}),
        ("author:李明", {8, 9, 11}),
        ("author:ara*", {1}),
    ],
)
def test_an_author_is_found_however_the_name_is_written(query, numbers):
    assert set(found(index_of(*AUTHORS), query)) == numbers


def test_capitals_throughout_a_title_are_no_acronyms():
    index = titled("ATTENTION IS ALL THAT IT TAKES FOR US", "US policy and IT law in courts")

    assert found(index, "US") == [2]
    assert found(index, "attention") == [1]


def test_a_word_broken_at_the_end_of_a_line_is_one_word():
    index = index_of(
        paper(1, "Licences", "The field has wit- nessed growth in pre- and retraining.")
    )

    assert found(index, "witnessed") == [1]
    assert found(index, "retraining") == [1]
