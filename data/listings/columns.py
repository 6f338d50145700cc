"""What the columns of tables and the keys of JSON objects may be called.

In English and Chinese, as catalogues and conference tools head their exports, and in the words of
a few more languages that people use in their own tables.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

_LONGEST_HEADING: Final = 200

# A heading is compared without case, blanks, marks and brackets; the earlier word wins.
_COLUMNS: Final[Mapping[str, tuple[str, ...]]] = {
    "title": (
        "title", "papertitle", "articletitle", "documenttitle", "titleofpaper", "paper",
        "papername", "ti", "name",
        "标题", "题目", "题名", "论文标题", "论文题目", "论文名称", "论文名", "文章标题", "篇名",
        "文献标题", "中文标题", "英文标题",
        "titel", "titre", "título", "titulo", "titolo", "タイトル", "제목",
    ),
    "abstract": (
        "abstract", "summary", "abstracttext", "abstractnote", "paperabstract", "ab",
        "description", "tldr",
        "摘要", "论文摘要", "文章摘要", "中文摘要", "英文摘要", "文摘", "简介",
        "zusammenfassung", "kurzfassung", "abstrakt", "résumé", "resume", "resumen", "resumo",
        "riassunto", "要旨", "概要", "抄録", "초록",
    ),
    "authors": (
        "authorfullnames", "af", "authors", "author", "authornames", "authorlist", "authorfull",
        "creator", "creators", "au",
        "作者", "论文作者", "全部作者", "作者姓名", "作者列表",
        "autoren", "autor", "autorinnen", "verfasser", "auteurs", "auteur", "autores", "autori",
        "著者", "著者名", "저자",
    ),
    "arxiv": ("arxiv", "arxivid", "arxivnumber", "arxivurl", "arxivlink"),
    "doi": ("doi", "doilink", "digitalobjectidentifier", "di"),
    "openreview": ("openreview", "openreviewurl", "openreviewid", "openreviewlink", "forum",
                   "forumid", "forumurl"),
    "id": ("id", "paperid", "identifier", "编号"),
    "url": (
        "url", "link", "paperurl", "paperlink", "abs", "absurl", "articleurl", "links",
        "homepage", "pdf", "pdfurl", "pdflink",
        "链接", "链接地址", "原文链接", "连结", "网址", "论文链接", "地址",
        "adresse", "lien", "enlace",
    ),
    "topics": (
        "topics", "topic", "primaryarea", "area", "primarysubjectarea", "subject", "subjects",
        "subjectarea", "subjectareas", "researcharea", "fieldsofstudy", "track", "trackname",
        "主题", "领域", "方向", "研究方向", "学科", "分类", "thema", "themen", "bereich",
    ),
    "keywords": (
        "keywords", "keyword", "authorkeywords", "indexkeywords", "manualtags", "tags", "de",
        "关键词", "关键字", "中文关键词", "schlagwörter", "schlagworte", "stichwörter", "motsclés",
        "palabrasclave", "キーワード",
    ),
    "categories": ("categories", "category", "arxivcategories", "primarycategory"),
    "venue": (
        "venue", "journal", "conference", "booktitle", "sourcetitle", "publicationtitle",
        "source", "publication", "journalname", "journalbook", "containertitle", "so",
        "会议", "会议名称", "期刊", "期刊名称", "发表期刊", "来源", "刊名", "文献来源", "发表会议",
        "zeitschrift", "konferenz", "tagung", "quelle", "revue", "revista", "rivista",
    ),
    "comment": ("comment", "comments", "note", "notes", "decision", "备注", "评论", "kommentar",
                "anmerkung", "bemerkung"),
    "published": (
        "published", "publicationdate", "publisheddate", "date", "submitted", "submissiondate",
        "publishedat", "coverdate", "datepublished", "publishedon",
        "发表时间", "发布时间", "出版时间", "日期", "出版日期", "发表日期",
        "datum", "veröffentlicht", "fecha", "data",
    ),
    "year": (
        "publicationyear", "year", "pubyear", "py", "年份", "年", "出版年", "出版年份",
        "发表年份", "发表年度", "jahr", "erscheinungsjahr", "année", "año", "ano", "anno",
    ),
    "month": ("month", "publicationmonth", "pd", "月份", "monat"),
    "updated": ("updated", "updateddate", "lastupdated", "updatedat", "更新时间", "更新日期"),
    "announced": ("announced", "announceddate", "公布日期"),
    "version": ("version", "版本"),
    "announce_type": ("announcetype",),
}  # fmt: skip
# Headings in traditional characters are looked up in simplified ones.
_SIMPLIFIED: Final = str.maketrans(
    "標題論獻關鍵詞會議來發鏈連結網領學類備註評時間佈簡號稱錄録",
    "标题论献关键词会议来发链连结网领学类备注评时间布简号称录录",
)
_FIELD_OF: Final = {
    heading.translate(_SIMPLIFIED): (field, rank)
    for field, names in _COLUMNS.items()
    for rank, heading in enumerate(names)
}


def field_of(heading: str) -> tuple[str, int]:
    """The field that a heading names and how well, 0 best; ("", 0) where it names none.

    CNKI heads its columns "Title-题名".
    """
    return _field_of(heading) if len(heading) <= _LONGEST_HEADING else ("", 0)


@lru_cache(maxsize=2048)
def _field_of(heading: str) -> tuple[str, int]:
    bilingual = re.search(r"[\u4e00-\u9fff]", heading)
    for part in (heading, *(re.split(r"[-/|:：]", heading) if bilingual else ())):
        found = _FIELD_OF.get(_bare(part))
        if found:
            return found
    return "", 0


def _bare(text: str) -> str:
    text = text.translate(_SIMPLIFIED)
    # Bounded on both sides, so that a "heading" of a thousand brackets costs no more than one.
    text = re.sub(r"[(（\[][^()（）\[\]]{0,80}[)）\]]", "", text.casefold())
    return re.sub(r"[\s_\-.:：;/?\"'#*&\ufeff]+", "", text)
