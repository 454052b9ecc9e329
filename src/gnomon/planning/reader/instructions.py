"""Instructions about the form of an answer, which change no number: rounding, tools, explanations asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from re import IGNORECASE
from re import compile as pattern

from gnomon.data.column_names import vocabulary as words_of
from gnomon.planning.reader.words import Word

_TELLING = words_of(
    "interpret explain discuss justify comment elaborate conclude summarize summarise describe support"
)
_GIVING = words_of("provide give include add offer write state present show return create make draw use")
_LEADING = words_of("please also then finally briefly and")
_PICTURES = words_of(
    "visualization visualizations visualisation visualisations chart charts plot plots graph graphs picture"
)
_OUTCOMES = words_of(
    "result results answer answers finding findings reasoning conclusion conclusions outcome outcomes implication "
    "implications work steps response"
)
_EXPLANATIONS = words_of(
    "explanation explanations interpretation interpretations justification evidence reasoning commentary discussion "
    "rationale"
)
_BETWEEN = words_of(
    "the your a an brief short some any this these on for statistical clear concise detailed my of and "
    "bar line pie scatter box stacked simple suitable appropriate"
)
_TOOLS = words_of(
    "python pandas numpy scipy sklearn scikit statsmodels matplotlib seaborn excel sql polars duckdb jupyter spss stata matlab"
)
_PARTS_OF_TOOLS = words_of(
    "library libraries module modules package packages function functions code script notebook learn the statistics stats "
    "dataframe in"
)
_BY_MEANS = words_of("using with in via through use by")
_DECIMALS = words_of("decimal decimals dp")
_ROUND = words_of("round rounded rounding")


def is_instruction(clause: Sequence[Word]) -> bool:
    """Whether a sentence only says how to put the answer: “Interpret the results.”, “Round to two decimals.”"""
    said = [w.lower for w in clause if w.kind != "symbol"]
    while said[:1] and said[0] in _LEADING:
        said = said[1:]
    if not said:
        return False
    if _is_of_ties(said):
        return True
    if said[0] in _ROUND or (said[0] in _TELLING and len(said) == 1):
        return True
    return _asks_to_tell(said)


def _is_of_ties(said: Sequence[str]) -> bool:
    """“Name all of them if several share the spot”: every answer names ties."""
    tied = next(
        (
            i
            for i, w in enumerate(said[:-1])
            if w in {"if", "when", "where"} or said[i : i + 2] == ["in", "case"]
        ),
        None,
    )
    several = {"several", "more", "multiple", "many", "two", "tie", "ties", "tied", "draw"}
    sharing = {"share", "shared", "tie", "ties", "tied", "equal", "equally", "same", "level", "draw"}
    condition = set(said[tied:]) if tied is not None else set[str]()
    told = tied is not None and said[0] in _GIVING | {"name", "list", "tell"} and set(said[1:tied]) <= _ALL
    return told and bool(condition & several) and bool(condition & sharing)


_ALL = words_of("me all of them both every one each the")


def is_of_looks(clause: Sequence[Word]) -> bool:
    """Whether a sentence asks for a picture, which every answer brings where there is one to draw."""
    return any(w.lower in _PICTURES for w in clause)


def _asks_to_tell(said: Sequence[str]) -> bool:
    """“explain your answer”, “provide statistical evidence …”: to tell more about what was found."""
    told = _EXPLANATIONS | _PICTURES
    wanted = _OUTCOMES if said[0] in _TELLING else told if said[0] in _GIVING else frozenset[str]()
    if said[0] in _GIVING and said[1:2] == ["your"]:
        wanted = wanted | {"work", "steps"}
    at = next((i for i, w in enumerate(said[1:6], 1) if w not in _BETWEEN), None)
    if at is None or said[at] not in wanted:
        return False
    return said[0] in _TELLING or said[at + 1 : at + 2] != ["of"] or said[at] in _EXPLANATIONS


_COUNTED_IN = pattern(
    r"(?<!not)(?<!only)(?<!just)(?<!but)[\s,]+\(?(?P<said>(?:including|incl\.?|counting|even counting|also counting|and also)\s+"
    r"(?:(?:also|all|any|the|of|even)\s+)*(?:(?:ones|those|people|persons|anyone|everyone|anybody|everybody|[a-z]+s)\s+"
    r"(?:who|that|which)\b(?:\s+(?:have|had|has|already|since|were|are|was))*\s+(?:[a-z'-]+)(?:\s+(?:us|early|already|in the meantime|"
    r"since|the company|the firm|the school|the club))?|leavers|former\s+[a-z]+|ex-[a-z]+))\)?(?=\s*(?:[,?.!]|$))",
    IGNORECASE,
)


def counted_in(question: str) -> tuple[str, dict[str, str]] | None:
    """“…, including the ones who left”: everybody is meant, so nothing is a condition; what was said, and how it was read."""
    found = _COUNTED_IN.search(question)
    if found is None or not question[: found.start()].strip():
        return None
    rest = f"{question[: found.start()]}{question[found.end() :]}"
    return rest, {found["said"]: "all of them, and no condition"}


def spoken_tail(clause: Sequence[Word]) -> tuple[int, int] | None:
    """“… and interpret the result”, “… to support your answer”: where such an end of a sentence stands."""
    for i, word in enumerate(clause[1:], 1):
        end = len(clause) - (clause[-1].lower in {"?", ";"})
        joint = word.lower in {"and", ",", "to"} and i + 2 < len(clause)
        first = i + 2 if joint and [w.lower for w in clause[i : i + 2]] == [",", "and"] else i + 1
        said = [w.lower for w in clause[first:end]]
        if not joint or not said or (said[0] not in _TELLING and word.lower == "to"):
            continue
        if _asks_to_tell(said):
            return i, end
    return None


def rounding(clause: Sequence[Word]) -> tuple[int, int] | None:
    """“(rounded to two decimal places)”, “to 2 decimals”: where it stands."""
    said = [w.lower for w in clause]
    at = next((i for i, w in enumerate(said) if w in _DECIMALS or said[i : i + 2] == ["d", "p"]), None)
    nearest = next((i for i in range(len(said) - 2) if said[i : i + 3] == ["to", "the", "nearest"]), None)
    if at is None and nearest is None:
        return None
    end = at + 1 if at is not None else (nearest or 0) + 4
    while (
        at is not None
        and end < len(said)
        and said[end] in {"p", "place", "places", "digit", "digits", "points"}
    ):
        end += 1
    low = at if at is not None else nearest or 0
    begin = next((i for i in range(low, max(-1, low - 8), -1) if said[i] in _ROUND), None)
    if begin is None:
        begin = next((i for i in range(low, max(-1, low - 4), -1) if said[i] in {"to", "with", "at"}), None)
    if begin is None:
        return None
    if begin and said[begin - 1] in {",", "("}:
        begin -= 1
        end += int(said[begin] == "(" and said[end : end + 1] == [")"])
    elif begin and said[begin - 1] == "and":
        begin -= 1
    return begin, min(end, len(said))


def looks(clause: Sequence[Word]) -> tuple[int, int] | None:
    """“as a bar chart”, “in tabular form”: where it is said how to show the answer."""
    said = [w.lower for w in clause]
    for i in range(1, len(said) - 1):
        if said[i] not in {"as", "in", "using", "with", "on", "via"}:
            continue
        end = i + 1
        while end < len(said) and said[end] in _BETWEEN | {"table", "list", "tabular"}:
            end += 1
        shown = end < len(said) and said[end] in _PICTURES | {"form", "format"} and end > i + 1
        if shown and (said[end] in _PICTURES or said[end - 1] in {"table", "list", "tabular"}):
            return i - (said[i - 1] == ","), end + 1
    return None


def tools(clause: Sequence[Word], is_name: Callable[[Word], bool]) -> tuple[int, int] | None:
    """“using pandas”, “use the Python library's function for this”: where the tool and what belongs to it stand."""
    at = next((i for i, w in enumerate(clause) if w.lower in _TOOLS and not is_name(w)), None)
    if at is None:
        return None
    begin = at
    while begin and (clause[begin - 1].lower in _PARTS_OF_TOOLS | _TOOLS or clause[begin - 1].lower == "by"):
        begin -= 1
        if clause[begin].lower in _BY_MEANS:
            break
    while begin and clause[begin].lower not in _BY_MEANS and clause[begin - 1].lower in _BY_MEANS:
        begin -= 1
    if clause[begin].lower not in _BY_MEANS:
        return None
    if clause[begin].lower == "use":
        return begin, len(clause) - (clause[-1].lower in {"?", ";"})
    end = at + 1
    limit = next((j for j in range(end, len(clause)) if clause[j].kind == "symbol"), len(clause))
    last = [j for j in range(end, min(limit, end + 5)) if clause[j].lower in _PARTS_OF_TOOLS | _TOOLS]
    return begin, (last[-1] + 1 if last and clause[last[-1]].lower not in {"in", "the"} else end)
