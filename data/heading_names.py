"""The name that an abstract introduces, and what it stands for.

A name counts only where the abstract brings it in as its own ("we propose X", "called X", "X is a
new …") and does not mention it before: LoRA, GPT-4 and ResNet are mentioned, not introduced.
"""

from __future__ import annotations

import re
from typing import Final

from data.heading_words import ADVERB, SUBJECT, VERBS, without_article
from data.words import word_set

# A name carries a capital after its first letter, a digit, or a script: JoLA, C3PO, M³HF.
_NAME: Final = r"[A-Za-z0-9𝒜-𝟿][\w⁰¹²³⁴-⁹₀-₉*+\^\-−./']*[\w⁰¹²³⁴-⁹₀-₉*+]"
_NAMES: Final = rf"{_NAME}(?:[ -][A-Z0-9][\w\-]*){{0,4}}"
_MARK: Final = re.compile(r"[A-Z0-9⁰¹²³⁴⁵⁶⁷⁸⁹₀-₉+]")
_KIND: Final = (
    r"(?:framework|method|approach|algorithm|model|system|benchmark|dataset|technique|paradigm|"
    r"architecture|task|metric|measure|library|toolkit|strategy|scheme|module|pipeline|loss|"
    r"objective|agent|corpus|protocol|estimator|optimizer|network|mechanism|environment|suite|"
    r"platform|tool|solution|setting|simulator|program|schedule|principle|attack|defense|variant)s?"
)
_CALLED: Final = (
    r"(?:(?:that|which) )?(?:we )?(?:further |also |hereafter )?"
    r"(?:call(?:ed|s)?|term(?:ed)?|dub(?:bed)?|named?|namely|denoted(?: as| by)?|coined?|"
    r"refer(?:red)? to(?: it| this)? as|abbreviated as|known as)"
    r"(?: it| them| this)?(?: as)?(?: the)?"
)
_OWN: Final = rf"(?:{SUBJECT}|\b[Oo]ur|\bnew|\bnovel)\b"
_MAY_NAME: Final = re.compile(
    rf"\b{VERBS}\b|\b(?:call|term|dub|name|denot|coin|refer|abbreviat|known as)|^\S+ "
    rf"(?:\(.{{0,90}}\) )?is an? |"
    r"^(?:Our|The) "
)

_PATTERNS: Final[tuple[re.Pattern[str], ...]] = (
    # A long form and the name in brackets: … Joint Localization and Activation Editing (JoLA)
    re.compile(
        rf"{SUBJECT}(?:[^.;:?!]{{0,90}}?[ ,](?:and|to))?{ADVERB} {VERBS}"
        rf"(?P<what> [^.;:?!()]{{3,150}}?) ?[\[(](?:\w+ as "
        rf")?[\"“]?(?P<name>{_NAME})[\"”]?[\])](?P<rest>.*)"
    ),
    # "We introduce SafeSeek, a unified …"
    re.compile(
        rf"{SUBJECT}(?:[^.;:?!]{{0,260}}?[ ,](?:and|to|by))?{ADVERB} {VERBS} (?:the )?[\"“']?"
        rf"(?P<name>{_NAMES})[\"”']?(?: \((?P<expansion>[^()]{{2,90}})\))?"
        rf"(?P<rest>(?:,|:|\.|;| [–—-]| for | to | that | which | as |$).*)"
    ),
    # After "called" and its like: a framework, called DEAR, that …
    re.compile(
        rf"(?P<what>.*?)[ ,(]\(?{_CALLED} [\"“'*]?(?P<long>[A-Za-z][^.;:?!()\"”]{{4,80}}?) "
        rf"\((?P<name>{_NAME})\)(?P<rest>.*)"
    ),
    re.compile(rf"(?P<what>.*?)[ ,(]\(?{_CALLED} [\"“'*]?(?P<name>{_NAMES})[\"”'*]?(?P<rest>.*)"),
    # "we propose a hybrid alignment framework HaF-RM for …", "a novel method, CaliMatch, which"
    re.compile(
        rf"{SUBJECT}(?:[^.;:?!]{{0,90}}?[ ,]and)?{ADVERB} {VERBS}"
        rf"(?P<what> [^.;:?!()]{{0,110}}?\b{_KIND}(?: \w+){{0,3}}?)"
        rf"[,:]? (?P<name>{_NAME})(?: \((?P<expansion>[^()]{{6,90}})\))?(?P<rest>.*)"
    ),
    # "ExpertRAG is a novel theoretical framework that …"
    re.compile(
        rf"^(?P<name>{_NAME})(?: \((?P<expansion>[^()]{{6,90}})\))? is (?P<rest>an? "
        rf"(?:novel|new|unified|simple)\b.*)"
    ),
    re.compile(
        rf"(?P<what>\b[Aa] (?:novel|new) [^.;:?!()]{{0,140}}?) \((?P<name>{_NAME})\),? is "
        rf"(?:proposed|introduced|presented|developed)(?P<rest>.*)"
    ),
    # "propose a novel MC-PO algorithm that applies …"
    re.compile(
        rf"{SUBJECT}(?:[^.;:?!]{{0,260}}?[ ,]and)?{ADVERB} {VERBS} (?:an?|the|our) (?:[a-z]+,? "
        rf"){{0,3}}?"
        rf"(?P<name>{_NAME})(?P<rest> {_KIND}\b.*)"
    ),
    # "We call this framework Dynamic Normativity."
    re.compile(
        rf"\b[Ww]e (?:call|term|name|dub|refer to|coin) (?:this|our|the|it|these)(?: "
        rf"[a-z]+){{0,3}}?"
        rf"(?: as)? [\"“']?(?P<name>{_NAMES})[\"”']?(?P<rest>(?:[.,:(]|$).*)"
    ),
    # In apposition: Our proposed verifier, the Outcome-supervision Value Model (OVM), …
    re.compile(
        rf"^(?:Our (?:proposed |new )?|The (?:proposed|new) )[^.;:?!,]{{0,60}}, (?:the "
        rf")?(?P<what>[^.;:?!()]{{0,100}}?) "
        rf"\((?P<name>{_NAME})\)(?P<rest>.*)"
    ),
)
_COMMON: Final = word_set(
    "AI ML LLM LLMs NLP RL GNN GNNs CNN CNNs MLLM MLLMs VLM VLMs DNN DNNs SGD GAN GANs VAE VAEs "
    "RLHF MDP MDPs OOD KL API IT IB MI SSL ICM NMF PCA SVM RNN RNNs LSTM ODE SDE PDE GPU CPU MCMC "
    "MLE DPO PPO GRPO SFT RAG MoE ICL CoT QA AGI XAI PEFT LoRA SCM DAG SLM UQ NLL POMDP MARL ERM "
    "PAC KV FL DP AT CO 3D 2D 1D SOTA GPT-4 IoT ASR TTS OCR VQA NER AUC FID BLEU"
)
_NOT_NAMES: Final = word_set(
    "A An The We Our This These It In On For To And Or But How What Why Two Three Four Five "
    "Several "
    "First Second New Based Bayesian Markov Gaussian Hamiltonian Riemannian Euclidean Lipschitz "
    "Python Wikipedia Theorem Algorithm Section Pareto Nash Monte Fourier Hilbert Transformer "
    "Transformers Language Large Deep Neural Graph"
)
_PROPER: Final = word_set(
    "bayesian bayes doob markov gaussian transformer fourier kalman nash bregman wasserstein "
    "lipschitz hilbert riemannian langevin shapley stackelberg hadamard boltzmann sinkhorn gibbs "
    "hamiltonian lagrangian newton jacobian hessian gauss laplace poisson bernoulli dirichlet "
    "monte carlo chinese english european american arabic japanese german french python rust java "
    "african indian nyström frank wolfe thompson neumann lyapunov mahalanobis kolmogorov arnold "
    "dirac onsager mesarovician pareto kullback leibler fisher rao schrödinger bellman"
)
_HEAD_PREPOSITION: Final = re.compile(
    r"\b(?:via|by|using|through|based on|with|on|in|from|under|over|into|like|to|as|than|that|"
    r"between|across|within|including|such)\b"
)


def introduced_name(sentences: list[str], *, aside: bool = False) -> tuple[str, str] | None:
    """The first name that the abstract introduces and what it is, the latter empty where unsaid.

    With `aside`, of the names that come in by the way ("we also propose X"), else of the others.
    """
    text = " ".join(sentences)
    before = ""
    bare: tuple[str, str] | None = None
    for sentence in sentences:
        if _MAY_NAME.search(sentence) and bool(_ASIDE.search(sentence)) == aside:
            named = _first_in(sentence, before, text)
            if named is not None:
                name, meaning = named
                meaning = meaning or _meaning_elsewhere(name, sentences)
                if meaning:
                    return name, meaning
                bare = bare or (name, "")
        before += sentence + " "
    return bare


_ASIDE: Final = re.compile(
    r"^(?:Additionally|In addition|Furthermore|Moreover|Separately|Besides|Further|Finally|"
    r"Lastly)\b|"
    r"\b[Ww]e (?:also|further|additionally|finally) |\bwe then \w+ \w+ as\b"
)


def _first_in(sentence: str, before: str, text: str) -> tuple[str, str] | None:
    """The name that stands first in a sentence among those it introduces."""
    best: tuple[str, str] | None = None
    at = len(sentence) + 1
    for pattern in _PATTERNS:
        for found in pattern.finditer(sentence):
            if found.start("name") < at:
                named = _judged(found, sentence, before, text)
                if named is not None:
                    best, at = named, found.start("name")
    return best


def _judged(found: re.Match[str], sentence: str, before: str, text: str) -> tuple[str, str] | None:
    groups = found.groupdict()
    name = found["name"].strip(" .,;:-/\"'*")
    what = groups.get("what") or ""
    if _CALLED in found.re.pattern and not re.search(_OWN, what):
        return None
    short = re.match(rf"[\"”']? \(({_NAME})\)", sentence[found.end("name") :])
    if short and _stands_for(short[1], name):
        return None  # "Reference-Based Modulation (RB-Modulation)": the short form is the name
    if not _is_new_name(name, before, text):
        return None
    meaning = _meaning(name, groups, what, sentence)
    return None if meaning is None else (name, meaning)


def _is_new_name(name: str, before: str, text: str) -> bool:
    first = name.split(maxsplit=1)[0] if name else ""
    if not name or name in _COMMON or first in _NOT_NAMES or not first[0].isalnum():
        return False
    if (
        len(name) > 40
        or re.fullmatch(r"[\d.\-]+\w?", name)
        or re.fullmatch(r"\d+(?:D|k|K|M|B)?", name)
    ):
        return False
    if re.match(r"\d+-?[a-z]", name):
        return False
    if re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", before):
        return False
    if " " in name:
        return all(w[0].isupper() or w[0].isdigit() for w in name.split())
    if not any(c.isupper() for c in name):
        return False
    if _MARK.search(name[1:].replace("-", "")) or ("-" in name and _MARK.search(name[1:])):
        return name[0].isupper() or bool(re.search(r"[A-Z].*[A-Z]|[A-Z]$|\d", name))
    # A plain capitalised word is a name only where the abstract comes back to it.
    again = len(re.findall(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text))
    return name[0].isupper() and again > 1


def _meaning(name: str, groups: dict[str, str | None], what: str, sentence: str) -> str | None:
    """What the name stands for: its long form, or its description; None for a false start."""
    rest = groups.get("rest") or ""
    described = _description(rest)
    long_form = groups.get("expansion") or groups.get("long")
    if (
        long_form
        and not re.search(r"e\.g\.|\b(?:19|20)\d\d\b|i\.e\.|%", long_form)
        and _stands_for(name, long_form)
    ):
        return _with_purpose(_lowered(_long_form(name, long_form)), described)
    bracketed = f"({name})" in sentence
    if bracketed:
        what = re.sub(rf"^.*\b{_CALLED} ", "", what)
    head = _head(what, bracketed=bracketed)
    if head and bracketed:
        if not _stands_for(name, head):
            mixed = any(c.islower() for c in name.removesuffix("s"))
            return _lower_first(head) if mixed and re.search(rf"\b{_KIND}\b", head) else None
        long_words = _long_form(name, head)
        if _HEAD_PREPOSITION.search(head[: len(head) - len(long_words)]):
            return None  # "based on maximum entropy and normalizing flows (CNFs)"
        return _with_purpose(_lowered(long_words + _compound(rest)), described)
    generic = re.fullmatch(rf"(?:\w+ )?{_KIND}", head or "")
    if described and head and generic and re.match(r"(?:that|for|to|by|in|of|on|from) ", described):
        return _lower_first(f"{head} {described}")
    if described and (not head or generic or len(head) > 70):
        return re.sub(r"^(?:that|which) ", "", described)
    if head and re.search(rf"\b{_KIND}\b", head):
        return _lower_first(f"{head} {_purpose(rest)}".strip())
    if re.match(rf" {_KIND}\b", rest):
        return rest.strip()
    return described or ("" if not head else _lower_first(head))


def _compound(rest: str) -> str:
    """The noun behind a bracket that belongs to the name: "(UBA) schedule"."""
    found = re.match(
        r"( (?!for|to|that|in|of|on|by|as|and|is|based)[a-z]+(?: [a-z]+)?)(?=[,.;:]| (?:for|to|"
        r"that|and|in)\b)",
        rest,
    )
    return found[1] if found else ""


def _head(what: str, *, bracketed: bool) -> str:
    """The noun phrase at the end of what stands before a name."""
    what = what.strip(" ,\"“'(:")
    found = re.search(rf"\b(an? [^,;:()]*\b{_KIND}\b[^,;:()]*)(?:,[^,]*)?$", what)
    if found and not bracketed:
        return without_article(found[1])
    found = re.search(rf"^.*{SUBJECT}{ADVERB} {VERBS} (.*)$", what)
    if found:
        what = found[1]
    heads = VERBS if bracketed else f"{VERBS}|is|on|by|with|in"
    found = re.search(rf"^.*\b(?:{heads}) ((?:an?|the) [^,]*)$", what)
    if found:
        what = found[1]
    if what.count(",") == 1 and len(what) > 50 and not bracketed:
        what = what.rsplit(",", 1)[-1].strip()
    what = re.sub(r"^(?:that|which|and|we) ", "", what.strip())
    return without_article(re.sub(r"^(?:empower|train|learn|study|use) ", "", what))


def _letters(name: str) -> str:
    return re.sub(r"[^a-z]", "", name.removesuffix("s").lower())


def _stands_for(name: str, phrase: str) -> bool:
    """Whether the letters of the name come in this order in the phrase's words."""
    letters = _letters(name)
    words = re.findall(r"[^\W_]+", phrase)
    if len(letters) < 2 or len(words) < 2:
        return False
    initials = [w[0].lower() for w in words]
    if letters[0] not in initials:
        return False
    position, lowered = 0, phrase.lower()
    position = lowered.find(letters[0])
    matched = 0
    for letter in letters:
        at = lowered.find(letter, position)
        if at >= 0:
            matched += 1
            position = at + 1
    capitals = [c.lower() for c in name if c.isupper()]
    counted = capitals if len(capitals) > 1 else list(letters)
    return matched >= 0.75 * len(letters) and (
        sum(c in initials for c in counted) >= 0.34 * len(counted)
    )


def _long_form(name: str, phrase: str) -> str:
    """The words of a phrase from the one that starts the abbreviation."""
    words = phrase.split()
    first = _letters(name)[0]
    titled = any(w[0].isupper() for w in words)
    best = phrase
    tripled = any(c in "²³⁴⁵" for c in name)
    for start, word in enumerate(words):
        tail = " ".join(words[start:])
        if (
            word[0].lower() == first
            and (word[0].isupper() or not titled)
            and _stands_for(name, tail)
            and len(words) - start > 1
        ):
            best = tail
            if tripled:
                break
    return best


def _description(rest: str) -> str:
    """What follows a name: ", a method that learns which heads to edit"."""
    rest = re.sub(r"^\s*\([^)]*\)", "", rest)
    found = re.match(
        r"^[\"”'’)]*\s*(?:,|:|–|—|-)?\s*(?:is|as|which is|namely|that is)?\s*"
        r"((?:an?|the|our|one of the)\s+.*)$",
        rest,
    )
    if found:
        return _lower_first(without_article(found[1]))
    found = re.match(r"^\s*(?::|–|—)\s*(.{12,})$", rest)
    if found:
        return _lower_first(without_article(found[1]))
    found = re.match(
        r"^,?\s*(?:which |that )?(?:\w+ly )?(enables|allows|achieves|learns|uses|adopts?|employs|"
        r"adopts|provides|offers|leverages|combines|integrates|calibrates|consists of|contains|"
        r"introduces|extends|unifies|improves)\s+(.*)$",
        rest,
    )
    if found:
        verb = found[1]
        kept = verb if verb not in {"enables", "allows", "achieves", "provides", "offers"} else ""
        return f"{kept} {found[2]}" if kept else without_article(found[2])
    return _purpose(rest)


def _purpose(rest: str) -> str:
    found = re.match(r"^[\"”'’),]*\s*((?:for|to|that|by|in|of|on|from|based)\s+.*)$", rest)
    return found[1] if found else ""


def _meaning_elsewhere(name: str, sentences: list[str]) -> str:
    """What a later sentence says of a name that stood alone: "Voyager is a …"."""
    for sentence in sentences:
        found = re.match(rf"^{re.escape(name)},? (?:is|are) ((?:an?|the) .+)$", sentence)
        if found:
            return _lower_first(without_article(found[1]))
    for sentence in sentences:
        if sentence.startswith(name + " "):
            described = _description(sentence[len(name) :])
            if described:
                return described
    return ""


def _with_purpose(long_form: str, described: str) -> str:
    if not described or len(long_form) > 40:
        return long_form
    if re.match(r"(?:for|to|in|of|on|that)\s", described):
        return f"{long_form} {described}"
    return f"{long_form}, {described}" if len(long_form) < 30 else long_form


def _lower_first(text: str) -> str:
    first = text.split(" ", 1)[0]
    if first.lower().split("-")[0] in _PROPER or any(c.isupper() for c in first[1:]):
        return text
    return text[:1].lower() + text[1:]


def _lowered(phrase: str) -> str:
    """A long form in sentence case; names of people and words like LLM keep their capitals."""
    shown: list[str] = []
    for word in phrase.split():
        parts = re.split(r"([-–/])", word)
        shown.append("".join(_lower_word(p) for p in parts))
    return " ".join(shown)


def _lower_word(word: str) -> str:
    bare = word.strip("(),.;:'’s").lower()
    if bare in _PROPER or not word:
        return word
    capitals = sum(c.isupper() for c in word)
    if capitals == 1 and word[0].isupper():
        return word.lower()
    # "gEnerative", "HYPerspherical": capitals that spell the name inside an ordinary word
    if capitals >= 1 and len(word) > 5 and sum(c.islower() for c in word) >= 4:
        return word.lower()
    return word
