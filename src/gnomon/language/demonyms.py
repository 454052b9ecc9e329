"""Words for what comes from a place: French, of France; Dutch, of the Netherlands; Asian, of Asia."""

from __future__ import annotations

from functools import cache

# The adjective, then what the place is called, its codes last.
_PLACES = """
afghan: afghanistan af afg | albanian: albania al alb | algerian: algeria dz dza | american: usa, united states, united states of america, us, u.s., america
argentine argentinian argentinean: argentina ar arg | armenian: armenia am arm | australian: australia au aus | austrian: austria at aut
azerbaijani: azerbaijan az aze | bangladeshi: bangladesh bd bgd | belarusian: belarus by blr | belgian: belgium be bel | bolivian: bolivia bo bol
bosnian: bosnia and herzegovina, bosnia, ba, bih | brazilian: brazil br bra | british: united kingdom, uk, great britain, britain, gb, gbr
bulgarian: bulgaria bg bgr | cambodian: cambodia kh khm | cameroonian: cameroon cm cmr | canadian: canada ca can | chilean: chile cl chl
chinese: china cn chn | colombian: colombia co col | costa-rican: costa rica, cr, cri | croatian: croatia hr hrv | cuban: cuba cu cub
cypriot: cyprus cy cyp | czech: czechia, czech republic, cz, cze | danish: denmark dk dnk | dutch: netherlands, the netherlands, holland, nl, nld
ecuadorian: ecuador ec ecu | egyptian: egypt eg egy | english: england | estonian: estonia ee est | ethiopian: ethiopia et eth
filipino philippine: philippines ph phl | finnish: finland fi fin | french: france fr fra | georgian: georgia ge geo | german: germany de deu
ghanaian: ghana gh gha | greek: greece gr grc | guatemalan: guatemala gt gtm | haitian: haiti ht hti | honduran: honduras hn hnd
hungarian: hungary hu hun | icelandic: iceland is isl | indian: india in ind | indonesian: indonesia id idn | iranian: iran ir irn
iraqi: iraq iq irq | irish: ireland ie irl | israeli: israel il isr | italian: italy it ita | ivorian: ivory coast, cote d'ivoire, ci, civ
jamaican: jamaica jm jam | japanese: japan jp jpn | jordanian: jordan jo jor | kazakh: kazakhstan kz kaz | kenyan: kenya ke ken
korean: south korea, korea, republic of korea, kr, kor | kuwaiti: kuwait kw kwt | latvian: latvia lv lva | lebanese: lebanon lb lbn
libyan: libya ly lby | lithuanian: lithuania lt ltu | luxembourgish: luxembourg lu lux | malaysian: malaysia my mys | maltese: malta mt mlt
mexican: mexico mx mex | moldovan: moldova md mda | mongolian: mongolia mn mng | moroccan: morocco ma mar | nepali nepalese: nepal np npl
nigerian: nigeria ng nga | norwegian: norway no nor | omani: oman om omn | pakistani: pakistan pk pak | panamanian: panama pa pan
paraguayan: paraguay py pry | peruvian: peru pe per | polish: poland pl pol | portuguese: portugal pt prt | qatari: qatar qa qat
romanian: romania ro rou | russian: russia, russian federation, ru, rus | rwandan: rwanda rw rwa | saudi: saudi arabia, sa, sau
scottish: scotland | senegalese: senegal sn sen | serbian: serbia rs srb | singaporean: singapore sg sgp | slovak slovakian: slovakia sk svk
slovenian slovene: slovenia si svn | spanish: spain es esp | sudanese: sudan sd sdn | swedish: sweden se swe | swiss: switzerland ch che
syrian: syria sy syr | taiwanese: taiwan tw twn | tanzanian: tanzania tz tza | thai: thailand th tha | tunisian: tunisia tn tun
turkish: turkey, turkiye, tr, tur | ugandan: uganda ug uga | ukrainian: ukraine ua ukr | emirati: united arab emirates, uae, ae, are
uruguayan: uruguay uy ury | uzbek: uzbekistan uz uzb | venezuelan: venezuela ve ven | vietnamese: vietnam, viet nam, vn, vnm | welsh: wales
zambian: zambia zm zmb | zimbabwean: zimbabwe zw zwe | african: africa | asian: asia | european: europe, eu | oceanian: oceania
bavarian: bavaria | catalan: catalonia | parisian: paris
"""


@cache
def _known() -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for entry in _PLACES.replace("\n", " | ").split("|"):
        words, _, names = entry.partition(":")
        listed = names.split(",") if "," in names else names.split()
        for word in words.split():
            found[word.replace("-", " ")] = tuple(n.strip() for n in listed)
    return found


def places_of(word: str) -> tuple[str, ...]:
    """What the place is called that a word speaks of, codes last; nothing where it speaks of none."""
    low = word.lower()
    return _known().get(low) or _known().get(low.removesuffix("s"), ())


def all_places() -> tuple[tuple[str, ...], ...]:
    """Every place, as its names and its codes."""
    return tuple(dict.fromkeys(_known().values()))
