"""Names of one place: a country with its codes, a state or province with its postal code."""

from __future__ import annotations

from functools import cache

from gnomon.language.demonyms import all_places

_STATES = """
alabama al | alaska ak | arizona az | arkansas ar | california ca | colorado co | connecticut ct | delaware de | florida fl | georgia ga
hawaii hi | idaho id | illinois il | indiana in | iowa ia | kansas ks | kentucky ky | louisiana la | maine me | maryland md
massachusetts ma | michigan mi | minnesota mn | mississippi ms | missouri mo | montana mt | nebraska ne | nevada nv | new hampshire nh
new jersey nj | new mexico nm | new york ny | north carolina nc | north dakota nd | ohio oh | oklahoma ok | oregon or | pennsylvania pa
rhode island ri | south carolina sc | south dakota sd | tennessee tn | texas tx | utah ut | vermont vt | virginia va | washington wa
west virginia wv | wisconsin wi | wyoming wy | district of columbia dc | puerto rico pr | alberta ab | british columbia bc | manitoba mb
new brunswick nb | newfoundland and labrador nl | nova scotia ns | ontario on | prince edward island pe | quebec qc | saskatchewan sk
yukon yt | northwest territories nt | nunavut nu
"""


@cache
def states() -> tuple[tuple[str, ...], ...]:
    """The states and provinces of North America, each by its name and its code."""
    entries = _STATES.replace("\n", " | ").split("|")
    return tuple((*e.strip().rsplit(" ", 1),) for e in entries if e.strip())


@cache
def countries() -> tuple[tuple[str, ...], ...]:
    """Countries, each by its names and its codes."""
    return tuple(names for names in all_places() if any(len(n) in (2, 3) for n in names))
