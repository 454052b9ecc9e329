"""Words for data as such: rows, columns, cells without a value, repeats, kinds of columns. None is about one data set."""

from __future__ import annotations

from gnomon.data.column_names import vocabulary

MISSING = vocabulary(
    "missing null nulls nan nans nas blank blanks empty absent missingness incomplete incompleteness unfilled"
)
COMPLETE = vocabulary("complete completeness completely full fully filled populated intact")
DUPLICATE = vocabulary(
    "duplicate duplicates duplicated duplication duplications identical repeated repeats repeat"
)
DISTINCT = vocabulary("unique distinct different cardinality")
COLUMNS = vocabulary("column columns field fields variable variables feature features attribute attributes")
ROWS = vocabulary(
    "row rows record records line lines observation observations instance instances case cases sample samples "
    "example examples tuple tuples"
)
CELLS = vocabulary("value values entry entries cell cells item items point points")
DATA = vocabulary(
    "data dataset datasets table tables file files dataframe df frame sheet spreadsheet csv database set sets"
)
KINDS = vocabulary("type types dtype dtypes datatype datatypes kind kinds")
SIZES = vocabulary("shape size dimensions dimension dimensionality big large long wide")
PERIODS = vocabulary("period periods timeframe timespan timeline time date dates days years span spans")
COVERS = vocabulary(
    "cover covers covered covering coverage span spans spanned range ranges start starts begin begins end ends "
    "stretch stretches reach reaches go goes back far extend extends run runs"
)
NUMERIC = vocabulary("numeric numerical number numbers quantitative continuous")
CATEGORICAL = vocabulary(
    "categorical text textual string strings character nominal qualitative object nonnumeric"
)
DATED = vocabulary("date dates datetime datetimes temporal timestamp timestamps")
MOST = vocabulary("most highest largest greatest biggest maximum max top worst")
LEAST = vocabulary("fewest least lowest smallest minimum min")
SHARE = vocabulary("percentage percentages percent % share shares proportion proportions fraction rate ratio")
EACH = vocabulary("each every per individual respective by")
NONE = vocabulary("no without not none zero lacking free never isn't aren't don't doesn't")
ALL = vocabulary("total overall altogether all entire whole across together combined")
LISTING = vocabulary("which what list names name show identify enumerate display")

FRAME = vocabulary("""a an the this that these those there here it its they them their our my your we i you us me is are was were be been do does did has
    have had having contain contains containing contained include includes including included exist exists present found can could
    would will please kindly give tell show display list find identify detect check see determine calculate compute count counts
    number report return provide state print get let know whether if so yes then how many much what which whose where in on of for to
    from with within inside among at and or as any some also exactly one least only just affected associated such
    available overall total name names called currently actually like looks look made up up consist consists of
    summarize summarise examine inspect investigate analyse analyze explore first last both between their s when does still""")
