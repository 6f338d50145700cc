"""The library of the simulated team: thirteen papers, in our own words."""

from __future__ import annotations

import json

_POSITION = "We argue that {}, and that whoever builds such systems should be held to it."
_THEORY = "We prove that {}, with matching upper and lower bounds on the regret."
_METHODS = "We propose {}, and show on four datasets that it beats earlier methods."

PAPERS = [
    ("Agents That Collude", _POSITION.format("reasoning agents collude on markets"), "Mina Okafor"),
    ("Certify Before You Deploy", _POSITION.format("agents need a certificate"), "Mina Okafor"),
    ("Regret of Delayed Bandits", _THEORY.format("bandits with delays learn"), "Léa Brunet"),
    ("Sampling Without Regret", _THEORY.format("sampling keeps regret low"), "Léa Brunet"),
    ("TimeSift", _METHODS.format("TimeSift, sparse features for time series"), "Jun Park"),
    ("FoldNet", _METHODS.format("FoldNet, a network that folds proteins"), "Jun Park"),
    ("GraphLoom", _METHODS.format("GraphLoom, which weaves graphs"), "Ines Duarte"),
    ("Small Models, Large Agents", _METHODS.format("small agents for large tasks"), "Ines Duarte"),
    ("Agents in the Wild", "A survey of agents that act outside of benchmarks.", "Tomas Novak"),
    ("Agents and Their Tools", _METHODS.format("tools that agents can hold"), "Tomas Novak"),
    ("A Starred [Title] with @everyone", _METHODS.format("a hostile title for agents"), "M*rk"),
    ("Agents at Night", _METHODS.format("agents that sleep"), "Ada Lind"),
    ("Quiet Gradients", _METHODS.format("gradients that need less noise"), "Ada Lind"),
]


def listing() -> bytes:
    """The papers as JSON lines, each with an arXiv id and a topic."""
    return "\n".join(
        json.dumps(
            {
                "title": title,
                "abstract": abstract,
                "authors": [author, "Sam Ito"],
                "arxiv": f"2606.{number:05d}",
                "topics": ["Agents" if "Agent" in title else "Learning"],
                "published": "2026-06-01",
            }
        )
        for number, (title, abstract, author) in enumerate(PAPERS, start=1)
    ).encode()
