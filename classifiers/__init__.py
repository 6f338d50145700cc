"""The contribution-type tagger: position, theory, methods, or unsure.

It reads a title and an abstract and nothing else; it knows neither the bot nor its storage.
"""

from classifiers.artefact import Manifest, ModelRefused
from classifiers.contribution import UNSURE, ContributionType, Judgement, Reason
from classifiers.evaluation import Evaluation, Form, evaluate
from classifiers.labels import LabelFile, LabelledPaper, LabelsUnusable, read_labels
from classifiers.tagger import Tagger
from classifiers.training import train

__all__ = [
    "UNSURE",
    "ContributionType",
    "Evaluation",
    "Form",
    "Judgement",
    "LabelFile",
    "LabelledPaper",
    "LabelsUnusable",
    "Manifest",
    "ModelRefused",
    "Reason",
    "Tagger",
    "evaluate",
    "read_labels",
    "train",
]
