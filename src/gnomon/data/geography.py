"""Whether values name places: coordinates, countries by name or ISO code, and states of the United States."""

from __future__ import annotations

from collections.abc import Sequence

from gnomon.data.column_names import vocabulary


def _listed(text: str) -> frozenset[str]:
    return frozenset(text.split(","))


_COUNTRIES = vocabulary("""
afghanistan albania algeria andorra angola argentina armenia australia austria azerbaijan bahamas bahrain
bangladesh barbados belarus belgium belize benin bhutan bolivia botswana brazil brunei bulgaria burundi cambodia
cameroon canada chad chile china colombia comoros congo croatia cuba cyprus czechia denmark djibouti dominica
ecuador egypt eritrea estonia eswatini ethiopia fiji finland france gabon gambia georgia germany ghana greece
grenada guatemala guinea guyana haiti honduras hungary iceland india indonesia iran iraq ireland israel italy
jamaica japan jordan kazakhstan kenya kiribati kuwait kyrgyzstan laos latvia lebanon lesotho liberia libya
liechtenstein lithuania luxembourg madagascar malawi malaysia maldives mali malta mauritania mauritius mexico
moldova monaco mongolia montenegro morocco mozambique myanmar namibia nauru nepal netherlands nicaragua niger
nigeria norway oman pakistan palau panama paraguay peru philippines poland portugal qatar romania russia rwanda
samoa senegal serbia seychelles singapore slovakia slovenia somalia spain sudan suriname sweden switzerland syria
taiwan tajikistan tanzania thailand togo tonga tunisia turkey turkmenistan tuvalu uganda ukraine uruguay
uzbekistan vanuatu venezuela vietnam yemen zambia zimbabwe usa uk uae england scotland wales
""")
_LONG_COUNTRIES = _listed(
    "antigua and barbuda,bosnia and herzegovina,burkina faso,cabo verde,cape verde,central african republic,"
    "costa rica,ivory coast,czech republic,dominican republic,el salvador,equatorial guinea,guinea-bissau,"
    "hong kong,marshall islands,new zealand,north korea,north macedonia,papua new guinea,saint lucia,san marino,"
    "saudi arabia,sierra leone,solomon islands,south africa,south korea,south sudan,sri lanka,trinidad and tobago,"
    "united arab emirates,united kingdom,united states,united states of america,viet nam,great britain,puerto rico"
)
_ISO3 = vocabulary("""
AFG ALB DZA AND AGO ARG ARM AUS AUT AZE BHR BGD BLR BEL BLZ BEN BTN BOL BIH BWA BRA BRN BGR BFA BDI KHM CMR CAN CAF
TCD CHL CHN COL COD COG CRI CIV HRV CUB CYP CZE DNK DJI DOM ECU EGY SLV EST ETH FJI FIN FRA GAB GMB GEO DEU GHA GRC
GTM GIN GUY HTI HND HKG HUN ISL IND IDN IRN IRQ IRL ISR ITA JAM JPN JOR KAZ KEN KWT KGZ LAO LVA LBN LSO LBR LBY LIE
LTU LUX MDG MWI MYS MDV MLI MLT MRT MUS MEX MDA MCO MNG MNE MAR MOZ MMR NAM NPL NLD NZL NIC NER NGA PRK MKD NOR OMN
PAK PAN PNG PRY PER PHL POL PRT QAT ROU RUS RWA SAU SEN SRB SGP SVK SVN SOM ZAF KOR SSD ESP LKA SDN SUR SWE CHE SYR
TWN TJK TZA THA TGO TTO TUN TUR TKM UGA UKR ARE GBR USA URY UZB VEN VNM YEM ZMB ZWE
""")
_ISO2 = vocabulary("""
AD AE AF AL AM AO AR AT AU AZ BA BD BE BG BH BO BR BW BY CA CD CH CI CL CM CN CO CR CU CY CZ DE DK DO DZ EC EE EG
ES ET FI FR GB GE GH GR GT HK HN HR HU ID IE IL IN IQ IR IS IT JM JO JP KE KH KR KW KZ LB LI LK LT LU LV LY MA MD
ME MG MK ML MM MN MT MU MX MY MZ NA NG NI NL NO NP NZ OM PA PE PH PK PL PR PT PY QA RO RS RU RW SA SD SE SG SI SK
SN SV SY TH TN TR TT TW TZ UA UG UK US UY UZ VE VN YE ZA ZM ZW
""")
_US_STATES = vocabulary("""
AL AK AZ AR CA CO CT DE FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OK OR PA RI
SC SD TN TX UT VT VA WA WV WI WY DC PR GU VI
""")
_US_NAMES = _listed(
    "alabama,alaska,arizona,arkansas,california,colorado,connecticut,delaware,florida,georgia,hawaii,idaho,illinois,"
    "indiana,iowa,kansas,kentucky,louisiana,maine,maryland,massachusetts,michigan,minnesota,mississippi,missouri,"
    "montana,nebraska,nevada,new hampshire,new jersey,new mexico,new york,north carolina,north dakota,ohio,oklahoma,"
    "oregon,pennsylvania,rhode island,south carolina,south dakota,tennessee,texas,utah,vermont,virginia,washington,"
    "west virginia,wisconsin,wyoming,district of columbia"
)
_CONTINENTS = _listed(
    "africa,antarctica,asia,europe,north america,south america,oceania,latin america,middle east,emea,apac,latam"
)
_NAMES = _COUNTRIES | _LONG_COUNTRIES | _US_NAMES | _CONTINENTS
_CODES = (_ISO2, _ISO3, _US_STATES)


def share_of_places(values: Sequence[object]) -> tuple[float, float]:
    """Shares of the values that are known names, and known codes, of countries, continents or states."""
    cells = [str(v).strip() for v in values]
    if not cells:
        return 0.0, 0.0
    named = sum(1 for c in cells if c.casefold() in _NAMES)
    coded = max(sum(1 for c in cells if c in codes) for codes in _CODES)
    return named / len(cells), coded / len(cells)


def kind_of_places(values: Sequence[object]) -> str | None:
    """What all of the values are: countries, or states of the United States; None where they are neither or mixed."""
    cells = [str(v).strip() for v in values]
    if cells and all(c.casefold() in _US_NAMES or c in _US_STATES for c in cells):
        return "state"
    if cells and all(c.casefold() in _COUNTRIES | _LONG_COUNTRIES or c in _ISO3 for c in cells):
        return "country"
    return None
