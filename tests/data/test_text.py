"""Text from listings made plain: TeX, HTML, Markdown, controls, hyphens."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from data.text import ends_like_a_sentence, repair_hyphenation, to_plain, vocabulary_of


@pytest.mark.parametrize(
    ("source", "plain"),
    [
        (r"$\text{M}^3\text{HF}$", "M³HF"),
        (r"\textbf{\textit{bold}} words", "bold words"),
        (r"$\ell_1$-norm", "ℓ₁-norm"),
        (r"L\'evy and M\"uller and Erd\H{o}s", "Lévy and Müller and Erdős"),
        (r"na{\"\i}ve {\'E}cole \c{c} \L{}ukasz Ko\v{s} \aa", "naïve École ç Łukasz Koš å"),
        ("{GPT}-4", "GPT-4"),
        (r"(i.\,i.\,d) data", "(i.i.d) data"),
        (r"$\tilde{O}(T^{3/4})$", "Õ(T^(3/4))"),
        (r"$\mathcal{O}(\sqrt{n})$", "O(√n)"),
        (r"$\frac{1}{n+1}$", "1/(n+1)"),
        (r"$x_{t+1} \in \mathbb{R}^{d}$", "xₜ₊₁ ∈ ℝᵈ"),
        (r"CO$_2$ and $10^{-3}$", "CO₂ and 10⁻³"),
        (r"$x_{max}$", "xₘₐₓ"),
        (r"$a^{FG}$", "a^FG"),
        (r"100\% $\to$ 0.4\%", "100% → 0.4%"),
        (r"\(x^2\) and \[y\]", "x² and y"),
        (r"\emph{An} \href{https://a.b}{address}", "An address"),
        (r"as shown \cite{nobody2031} here", "as shown here"),
        (r"our \method beats all", "our method beats all"),
        (r"p \textless{} 5\textpercent{} or \textgreater{} 9", "p < 5% or > 9"),
        (r"{\textbraceleft}a{\textbraceright} \textbar{} \textasciitilde{}b", "{a} | ~b"),
        (r"C:\textbackslash{}x and a\textasciicircum{}b", "C:\\x and a^b"),
        (r"\textalpha-helix, \glqq{}so\grqq{}, 5 \celsius", "α-helix, „so“, 5 °C"),
        ("costs $5 to $10 a day", "costs $5 to $10 a day"),
        (r"\$10 million", "$10 million"),
        ("Markov~chains at ~65 FPS", "Markov chains at ~65 FPS"),
        ("sets {a, b} stay", "sets {a, b} stay"),
        ("``quoted'' and `single'", "\"quoted\" and 'single'"),
        ("a **strong** and *weak* word", "a strong and weak word"),
        ("Kolmogorov **N**euro-**F**uzzy", "Kolmogorov Neuro-Fuzzy"),
        ("A* and B* search", "A* and B* search"),
        ("snake_case_stays and _this_ goes", "snake_case_stays and this goes"),
        ("R&amp;D &lt;em&gt;x&lt;/em&gt; &#233;", "R&D x é"),
        ("R&amp;amp;D", "R&D"),
        ("H<sub>2</sub>O <i>in vivo</i><br/>next", "H₂O in vivo next"),
        ("x < y and y > z", "x < y and y > z"),
        ("e\u0301\u200b\u00ad \x00 ﬁne\u00a0end\r\n", "é fine end"),
        ("a -- b, data--specifically", "a – b, data–specifically"),
        ("--option stays", "--option stays"),
        ("lone \ud800 surrogate", "lone surrogate"),
    ],
)
def test_source_forms_become_what_a_person_reads(source: str, plain: str):
    assert to_plain(source) == plain


def test_plain_text_comes_back_as_it_was():
    text = "A plain sentence (with brackets), 3.5% of it numbers; nothing to do."
    assert to_plain(text) == text


@settings(max_examples=400, deadline=None)
@given(
    st.one_of(
        st.text(max_size=300),
        st.lists(
            st.sampled_from(
                [
                    "\\",
                    "{",
                    "}",
                    "$",
                    "^",
                    "_",
                    "~",
                    "\\frac",
                    "\\text",
                    "\\'",
                    "a",
                    "1",
                    " ",
                    "&lt;",
                    "<sub>",
                    "*",
                    "**",
                    "``",
                    "\\[",
                    "\\)",
                    "\\sqrt[",
                    "]",
                ]
            ),
            max_size=40,
        ).map("".join),
    )
)
def test_anything_becomes_one_line_of_normal_text(text: str):
    plain = to_plain(text)
    assert plain == plain.strip()
    assert not any(unicodedata.category(c) in {"Cc", "Cs"} for c in plain)
    assert plain == unicodedata.normalize("NFC", plain)
    plain.encode()


@pytest.mark.parametrize(
    "text", ["{" * 5000, "\\frac" * 2000, "$^{" * 2000, "\\'" * 3000, "*a" * 9000]
)
def test_hostile_nesting_neither_overflows_nor_hangs(text: str):
    assert isinstance(to_plain(text), str)


@pytest.mark.parametrize(
    ("broken", "whole"),
    [
        ("has wit- nessed growth", "has witnessed growth"),
        ("chain-of- thought agents", "chain-of-thought agents"),
        ("short- and long-term", "short- and long-term"),
        ("pre- or post-training", "pre- or post-training"),
        ("on Hug- ging Face", "on Hugging Face"),
        ("GPT- 4 and LLM- based", "GPT-4 and LLM-based"),
        ("self- supervised", "self-supervised"),
        ("a - b", "a - b"),
    ],
)
def test_words_broken_at_line_ends_are_joined(broken: str, whole: str):
    assert repair_hyphenation(broken) == whole


def test_the_rest_of_the_page_decides_whether_a_hyphen_stays():
    words = vocabulary_of("harbour-going ships, and noncompliance of others, har- bour")
    assert repair_hyphenation("harbour- going", words) == "harbour-going"
    assert repair_hyphenation("noncom- pliance", words) == "noncompliance"
    assert "har" not in words


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        ("Done.", True),
        ('"Done."', True),
        ("see https://a.b/c", True),
        ("it stops in", False),
        ("", True),
    ],
)
def test_the_end_of_a_sentence_is_recognised(text: str, ends: bool):
    assert ends_like_a_sentence(text) is ends
