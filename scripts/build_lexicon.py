"""Build the English lexicon that ships inside the package from the files of WordNet 3.0.

    apt-get download wordnet-base && dpkg -x wordnet-base_*.deb wn
    python scripts/build_lexicon.py --wordnet wn/usr/share/wordnet

Kept are the ordinary words (no proper names; words of two parts where the tagged texts have them), how often each sense was met in the
tagged texts, and the relations between senses: broader, attribute, likeness, derivation, opposites; and the
irregular inflections. Two sections of text lines, sorted, compressed together; ``gnomon.embedding.lexicon``
reads them by binary search and by number.
"""

from __future__ import annotations

import argparse
import re
import zlib
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

TARGET = Path(__file__).resolve().parent.parent / "src" / "gnomon" / "embedding" / "wordnet" / "lexicon.z"
FILES = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}
TYPES = {"1": "n", "2": "v", "3": "a", "4": "r", "5": "a"}
ORDINARY = re.compile(r"[a-z]+([_-][a-z]+)?")
# Thousands of living things and chemicals that no table names; only those met in tagged texts are kept.
RARE = {5, 20, 27}
BROADER, ATTRIBUTE, LIKE, DERIVED, OPPOSITE, PERTAINS = "@", "=", "&", "+", "!", "\\"


@dataclass
class Synset:
    """One sense as WordNet has it: its words, and pointers to other senses."""

    part: str
    topic: int
    words: list[str]
    pointers: list[tuple[str, str, int, int]] = field(default_factory=list)


def read_synsets(folder: Path) -> dict[str, Synset]:
    """All synsets, by part of speech and offset."""
    found: dict[str, Synset] = {}
    for part, name in FILES.items():
        for line in (folder / f"data.{name}").read_text(encoding="utf-8").splitlines():
            if line.startswith("  "):
                continue
            fields = line.split("|")[0].split()
            count = int(fields[3], 16)
            words = [re.sub(r"\((a|p|ip)\)$", "", w) for w in fields[4 : 4 + 2 * count : 2]]
            synset = Synset(part, int(fields[1]), words)
            at = 4 + 2 * count
            for i in range(int(fields[at])):
                sign, offset, target, ends = fields[at + 1 + 4 * i : at + 5 + 4 * i]
                synset.pointers.append((sign, _part(target) + offset, int(ends[:2], 16), int(ends[2:], 16)))
            found[part + fields[0]] = synset
    return found


def _part(letter: str) -> str:
    """Satellite adjectives are adjectives."""
    return "a" if letter == "s" else letter


def read_counts(folder: Path) -> dict[tuple[str, str, int], int]:
    """How often each sense of a word was met in the tagged texts."""
    counts: dict[tuple[str, str, int], int] = {}
    for line in (folder / "cntlist.rev").read_text(encoding="utf-8").splitlines():
        key, number, met = line.split()
        word, _, rest = key.partition("%")
        counts[(word, TYPES[rest[0]], int(number))] = int(met)
    return counts


def read_senses(folder: Path) -> dict[str, list[tuple[str, int]]]:
    """The senses of each word, the most usual of a part of speech first, with how often each was met."""
    counts = read_counts(folder)
    senses: dict[str, list[tuple[str, int]]] = defaultdict(list)
    for part, name in FILES.items():
        for line in (folder / f"index.{name}").read_text(encoding="utf-8").splitlines():
            if line.startswith("  "):
                continue
            fields = line.split()
            for n, offset in enumerate(fields[-int(fields[2]) :], 1):
                senses[fields[0]].append((part + offset, counts.get((fields[0], part, n), 0)))
    return senses


def read_exceptions(folder: Path) -> dict[str, set[str]]:
    """Irregular inflections and the words they belong to."""
    found: dict[str, set[str]] = defaultdict(set)
    for part, name in FILES.items():
        for line in (folder / f"{name}.exc").read_text(encoding="utf-8").splitlines():
            form, *bases = line.split()
            if ORDINARY.fullmatch(form):
                found[form] |= {f"{b}/{part}" for b in bases if ORDINARY.fullmatch(b)}
    return found


def build(folder: Path) -> bytes:
    """The lexicon as compressed bytes."""
    synsets, senses, irregular = read_synsets(folder), read_senses(folder), read_exceptions(folder)
    proper = {w.lower() for s in synsets.values() for w in s.words if w != w.lower()}
    plain = {w for s in synsets.values() for w in s.words}

    def kept(word: str) -> bool:
        known = senses.get(word, [])
        rare = all(synsets[s].topic in RARE and not met for s, met in known)
        named = word in proper and word not in plain
        compound = not word.isalpha() and not any(met for _, met in known)
        return bool(known) and bool(ORDINARY.fullmatch(word)) and not (rare or named or compound)

    words = {w for w in senses if kept(w)}
    needed = {s for w in words for s, _ in senses[w]}
    todo = list(needed)
    while todo:
        for sign, target, _, _ in synsets[todo.pop()].pointers:
            if sign == BROADER and target not in needed:
                needed.add(target)
                todo.append(target)
    number = {s: i for i, s in enumerate(sorted(needed))}
    lines = [_word_line(w, senses, synsets, number, irregular) for w in sorted(words | set(irregular))]
    rows = [_synset_line(synsets[s], number, words) for s in sorted(needed)]
    text = "\n".join(lines) + "\n\n" + "\n".join(rows) + "\n"
    return zlib.compress(text.encode("ascii"), 9)


def _word_line(
    word: str,
    senses: dict[str, list[tuple[str, int]]],
    synsets: dict[str, Synset],
    number: dict[str, int],
    irregular: dict[str, set[str]],
) -> str:
    """``word <tab> synset:met … <tab> derived words <tab> opposites <tab> what an irregular form belongs to``."""
    known = [(s, met) for s, met in senses.get(word, []) if s in number]
    related: dict[str, list[str]] = {DERIVED: [], OPPOSITE: []}
    for s, _ in known:
        own = [w.lower() for w in synsets[s].words]
        for sign, target, source, at in synsets[s].pointers:
            kind = DERIVED if sign in (DERIVED, PERTAINS) else sign
            if kind not in related or not source or own[source - 1] != word or target not in number:
                continue
            other = synsets[target].words[at - 1].lower()
            if ORDINARY.fullmatch(other) and f"{other}:{number[s]}:{number[target]}" not in related[kind]:
                related[kind].append(f"{other}:{number[s]}:{number[target]}")
    parts = [
        " ".join(f"{number[s]}:{met}" if met else str(number[s]) for s, met in known),
        " ".join(related[DERIVED]),
        " ".join(related[OPPOSITE]),
        " ".join(sorted(irregular.get(word, ()))),
    ]
    return "\t".join([word, *parts]).rstrip("\t")


def _synset_line(synset: Synset, number: dict[str, int], words: set[str]) -> str:
    """``part of speech and topic <tab> broader <tab> attributes <tab> alike <tab> words``."""

    def targets(*signs: str) -> str:
        return " ".join(str(number[t]) for s, t, _, _ in synset.pointers if s in signs and t in number)

    members = " ".join(w.lower() for w in synset.words if w.lower() in words)
    return "\t".join(
        [f"{synset.part}{synset.topic}", targets(BROADER), targets(ATTRIBUTE), targets(LIKE), members]
    )


def main() -> None:
    """Write the lexicon."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--wordnet", type=Path, required=True, help="the folder of data.noun, index.noun …")
    parser.add_argument("--out", type=Path, default=TARGET)
    given = parser.parse_args()
    packed = build(given.wordnet)
    given.out.parent.mkdir(parents=True, exist_ok=True)
    given.out.write_bytes(packed)
    print(f"{given.out}: {len(packed) / 1e6:.2f} MB, {len(zlib.decompress(packed)) / 1e6:.1f} MB unpacked")


if __name__ == "__main__":
    main()
