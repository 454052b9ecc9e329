"""Reviews of household goods with planted documents of another kind: 1 marks them."""

from __future__ import annotations

import numpy as np

_PARTS = (
    ("The delivery", "My order", "This blender", "The customer service", "The kettle", "The toaster I bought",
     "The packaging", "The coffee machine", "The vacuum cleaner", "The shipping box"),
    ("arrived late", "works great", "broke after two weeks", "was a nice surprise", "looks exactly like the picture",
     "made a strange noise", "is easy to clean", "was worth the price", "came with a missing part", "is smaller than expected"),
    ("and I would buy it again.", "so I asked for a refund.", "but support answered quickly.", "and my family uses it daily.",
     "which was disappointing.", "and the colour is lovely.", "but the manual is confusing.", "so I gave it four stars.",
     "and the warranty covered it.", "although the price went up."),
)  # fmt: skip
_ELSEWHERE = (
    "The parliament voted on the new fiscal treaty after a long debate about interest rates.",
    "Photosynthesis converts sunlight into chemical energy in the chloroplasts of plants.",
    "The striker scored twice in the second half and the home team won the cup.",
    "The volcano erupted at dawn and ash covered the nearby villages.",
    "Beethoven composed his ninth symphony when he was almost entirely deaf.",
    "The knight moved to f3 and threatened the black queen.",
)
_FOREIGN = (
    "Die Lieferung kam leider viel zu spät und der Karton war beschädigt.",
    "Das Gerät funktioniert gut und ich würde es wieder kaufen.",
    "Le produit fonctionne très bien et je le rachèterais volontiers.",
    "El pedido llegó tarde pero el servicio respondió rápido.",
    "Il bollitore si è rotto dopo due settimane di uso.",
    "O pacote chegou atrasado e faltava uma peça.",
)


def reviews(rng: np.random.Generator, n: int) -> list[str]:
    """Ordinary reviews of one or two sentences."""
    made = [" ".join(str(rng.choice(p)) for p in _PARTS) for _ in range(n)]
    return [f"{a} {b}" if rng.random() < 0.5 else a for a, b in zip(made, made[::-1], strict=True)]


def plant(kind: str, seed: int, n: int = 300, count: int = 3) -> tuple[list[str], np.ndarray]:
    """Reviews, a few of them replaced by documents of one kind."""
    rng = np.random.default_rng(seed)
    texts, planted = reviews(rng, n), np.zeros(n, dtype=int)
    for i in rng.choice(n, count, replace=False):
        planted[i] = 1
        if kind == "off topic":
            texts[i] = str(rng.choice(_ELSEWHERE))
        elif kind == "foreign":
            texts[i] = str(rng.choice(_FOREIGN))
        elif kind == "gibberish":
            texts[i] = "".join(rng.choice(list("abcdefghijklmnopqrstuvwxyz    "), 90))
        elif kind == "damaged":
            texts[i] = "".join(
                c if rng.random() < 0.7 else str(rng.choice(list("Ã©â€™Â¼ð�"))) for c in texts[i]
            )
        elif kind == "spam":
            texts[i] = (
                f"CLICK HERE to win a FREE phone!!! Visit http://win-prize.example now {rng.integers(99)}"
            )
    return texts, planted
