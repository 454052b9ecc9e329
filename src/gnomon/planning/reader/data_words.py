"""Words for data as such: rows, columns, cells without a value, repeats, kinds of columns. None is about one data set."""

from __future__ import annotations

MISSING = frozenset(
    "missing null nulls nan nans nas blank blanks empty absent missingness incomplete incompleteness unfilled".split()
)
COMPLETE = frozenset("complete completeness completely full fully filled populated intact".split())
DUPLICATE = frozenset(
    "duplicate duplicates duplicated duplication duplications identical repeated repeats repeat".split()
)
DISTINCT = frozenset("unique distinct different cardinality".split())
COLUMNS = frozenset(
    "column columns field fields variable variables feature features attribute attributes".split()
)
ROWS = frozenset(
    "row rows record records line lines observation observations instance instances case cases sample samples "
    "example examples tuple tuples".split()
)
CELLS = frozenset("value values entry entries cell cells item items point points".split())
DATA = frozenset(
    "data dataset datasets table tables file files dataframe df frame sheet spreadsheet csv database set sets".split()
)
KINDS = frozenset("type types dtype dtypes datatype datatypes kind kinds".split())
SIZES = frozenset("shape size dimensions dimension dimensionality big large long wide".split())
PERIODS = frozenset(
    "period periods timeframe timespan timeline time date dates days years span spans".split()
)
COVERS = frozenset(
    "cover covers covered covering coverage span spans spanned range ranges start starts begin begins end ends "
    "stretch stretches reach reaches go goes back far extend extends run runs".split()
)
NUMERIC = frozenset("numeric numerical number numbers quantitative continuous".split())
CATEGORICAL = frozenset(
    "categorical text textual string strings character nominal qualitative object nonnumeric".split()
)
DATED = frozenset("date dates datetime datetimes temporal timestamp timestamps".split())
MOST = frozenset("most highest largest greatest biggest maximum max top worst".split())
LEAST = frozenset("fewest least lowest smallest minimum min".split())
SHARE = frozenset(
    "percentage percentages percent % share shares proportion proportions fraction rate ratio".split()
)
EACH = frozenset("each every per individual respective by".split())
NONE = frozenset("no without not none zero lacking free never isn't aren't don't doesn't".split())
ALL = frozenset("total overall altogether all entire whole across together combined".split())
LISTING = frozenset("which what list names name show identify enumerate display".split())

FRAME = frozenset(
    """a an the this that these those there here it its they them their our my your we i you us me is are was were be been do does did has
    have had having contain contains containing contained include includes including included exist exists present found can could
    would will please kindly give tell show display list find identify detect check see determine calculate compute count counts
    number report return provide state print get let know whether if so yes then how many much what which whose where in on of for to
    from with within inside among at and or as any some also exactly one least only just more than affected associated such
    available overall total name names called currently actually like looks look made up up consist consists of
    summarize summarise examine inspect investigate analyse analyze explore first last both between their s when does still""".split()
)
