"""Columns that tell of persons by what their cells look like, though each cell stands in many rows.

What a column is for says how it is asked about on this machine; what is sent to an agent is judged more strictly: a
name that five rows share is still somebody's name, and a remark that was pasted five times still a remark.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from gnomon.core.patterns import regex
from gnomon.data.column_kinds import Role
from gnomon.data.column_names import vocabulary, words
from gnomon.data.personal import personal_kind
from gnomon.data.profile_model import ColumnProfile, TableProfile
from gnomon.embedding.relations import person_share
from gnomon.guardrails.policy_checks import names_persons
from gnomon.guardrails.release.known_by import are_known_by
from gnomon.guardrails.release.names import are_persons

ROWS_OF_ONE = 20
"""More rows than these for each are not what somebody comes by, but what somebody is in charge of."""
_NAMING = frozenset({Role.ID, Role.CATEGORY, Role.TEXT, Role.PERSONAL})
_MOST = 0.8
_MAY_BE = 0.2
_PROSE_WORDS, _PROSE_LINKS = 5, 2
_NAMES = vocabulary(
    "vorname nachname familienname prenom prénom nom apellido apellidos nombre cognome surname forename firstname lastname "
    "achternaam voornaam nazwisko imie efternamn fornavn 名前 氏名 姓名 имя фамилия"
)
_KNOWN_BY = vocabulary(
    "login handle username nickname screenname plate plates licence_plate license_plate mac imei imsi vin iban passport"
)
_NUMBERED = vocabulary(
    "kennzeichen autokennzeichen nummernschild targa matricula matrícula immatriculation rejestracja kenteken reisepass passnummer "
    "passeport pasaporte passaporto paspoort ausweis ausweisnummer ahv svnr versichertennummer steuernummer dni nie curp cpf bsn "
    "pesel personnummer aadhaar nif nir"
)
_HAS_DIGIT = regex(r"\d")
_SAYS_LITTLE = vocabulary("id name")
_CAPITALISED = regex(r"[^\W\d_a-z][^\W\d_]*(?:['’.-][^\W\d_]+)*\.?(?:[ ,]+(?:(?:van|von|de|der|den|la|le|di|da|el|al|bin|ter) )*[^\W\d_a-z][^\W\d_]*(?:['’.-][^\W\d_]+)*\.?){1,3}")  # fmt: skip
_ONE_WORD = regex(r"[^\W\d_]+(?:['’. -][^\W\d_]+)*")
_HOUSE = regex(
    r"\d{1,5}[A-Za-z]?,? +[^\W\d_][\w'’.-]*.*\b(?:street|st|road|rd|avenue|ave|lane|ln|drive|dr|way|court|ct|boulevard|blvd|close|"
    r"place|pl|square|sq|terrace|crescent|rue|via|calle)\b.*|[^\W\d_][\w'’. -]*(?:stra(?:ß|ss)e|str\.|gasse|weg|platz|laan|straat|gatan) \d+.*",
    2,  # in any case
)
_BETWEEN = regex(r"""[;|/\n\t{}\[\]"<>=]+|,|: |(?<!\w)'|'(?!\w)""")
_IN_ONE = regex(r"[^\W\d_]+(?:[_.][^\W\d_]+){1,3}|(?:[A-Z][a-z]+){2,4}")
_SEAM = regex(r"[_.]|(?<=[a-z])(?=[A-Z])")
_LEAD = regex(r"[^\W\d_]+ ")
_MOST_PARTS = 24
_LINKS = vocabulary(
    "a an the to of in on at for with by from about and or but not no is are was were be been has had have did does do will would "
    "can could should it he she they we you i his her their our your this that there when who which as if so because after before "
    "der die das und ist war mit von zu nicht ein eine le les un une et est pas avec pour el los las una y es con para"
)


def tells_of_persons(column: ColumnProfile) -> bool:
    """Whether the texts of a column are names of persons, what somebody is known by, addresses or remarks."""
    cells = [v for v in column.seen if isinstance(v, str)]
    return cells_tell(column.name, cells, groups=column.role is Role.CATEGORY)


def cells_tell(header: str, texts: Sequence[str], *, groups: bool = True) -> bool:
    """The same of cells under a header.

    Args:
        header: The header.
        texts: Some of the cells.
        groups: Whether they are taken for groups, so that how they read has to show that they are none.
    """
    cells = [c.strip() for c in texts if c.strip()]
    if not cells:
        return False
    found = words(header)
    if {*found} & _KNOWN_BY or ({*found} & _NAMES and _share(cells, _ONE_WORD.fullmatch)):
        return True
    if {*found} & _NUMBERED and _share(cells, _HAS_DIGIT.search):
        return True
    meant = [w for w in found if w not in _SAYS_LITTLE]
    if meant and person_share(meant[-1]) >= _MAY_BE and _share(cells, _CAPITALISED.fullmatch):
        return True
    if _share(cells, _HOUSE.fullmatch) or _share(cells, _is_prose):
        return True
    if not groups:
        return False
    return are_persons(cells) or are_persons(_spelt_out(cells)) or any(map(_tell, _parts(cells)))


def person_key(profile: TableProfile) -> str | None:
    """The column that says whose a row is, where the same person has several rows; the one that tells most of them apart."""
    held = [
        c for c in profile.columns if c.personal is not None or (c.role in _NAMING and names_persons(c.name))
    ]
    several = [c for c in held if 1 < c.distinct < profile.rows - c.nulls <= ROWS_OF_ONE * c.distinct]
    return max(several, key=lambda c: c.distinct).name if several else None


def _spelt_out(cells: Sequence[str]) -> list[str]:
    """Cells written in one word (``ana_conti``, ``ana.conti``, ``AnaConti``) as the words that they are made of."""
    return [_SEAM.sub(" ", c).title() for c in cells if _IN_ONE.fullmatch(c)]


def _parts(cells: Sequence[str]) -> list[Sequence[str]]:
    """The columns that stand in one, such as records and lists, where all cells have as many parts."""
    split = [[p.strip() for p in _BETWEEN.split(c) if p.strip()] for c in cells]
    widths = {len(parts) for parts in split}
    if len(widths) != 1 or not 1 <= max(widths) <= _MOST_PARTS:
        return []
    return [_without_lead(part) for part in zip(*split, strict=True)]


def _without_lead(part: Sequence[str]) -> Sequence[str]:
    """Cells without the word that all of them begin with: “contact ana@example.org”."""
    lead = _LEAD.match(part[0])
    shared = lead is not None and all(cell.startswith(lead.group()) for cell in part)
    return [cell[lead.end() :] for cell in part] if lead and shared else part


def _tell(part: Sequence[str]) -> bool:
    """Whether a part of each cell is personal, or what something is known by."""
    if len(set(part)) * 2 < len(part):
        return False  # the name of a field
    return are_persons(part) or are_known_by(part) or personal_kind("", part, text=True) is not None


def _share(cells: Sequence[str], holds: Callable[[str], object]) -> bool:
    return sum(1 for c in cells if holds(c)) >= _MOST * len(cells)


def _is_prose(cell: str) -> bool:
    """Whether a cell is said in a sentence: several words, held together by small ones."""
    said = cell.lower().split()
    return len(said) >= _PROSE_WORDS and sum(w.strip(".,;:!?()") in _LINKS for w in said) >= _PROSE_LINKS
