"""Images: planted changes are found; arrays, lists, files and encoders are read."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from planted_images import plant
from ranking import precision

from gnomon.anomaly.modalities import prepare
from gnomon.core.errors import InvalidInput, MissingExtra, UnreadableSource


@pytest.mark.long
@pytest.mark.parametrize("kind", ["shape", "noise", "blur", "colour", "defect"])
def test_planted_images_are_found(kind: str) -> None:
    images, planted = plant(kind, 31)
    found = precision(prepare(images).matrix, planted)
    assert found > 0.5, f"{kind}: average precision {found:.2f}"
    assert found > 10 * planted.mean()


def test_the_columns_say_what_differs() -> None:
    images, planted = plant("colour", 32, n=150, count=1)
    prepared = prepare(images)
    row = int(np.argmax(planted))
    strongest = prepared.columns[int(np.argmax(prepared.matrix[row, :5]))]
    assert strongest in {"unusual colours", "unusual layout"}
    assert prepared.raw is not None
    assert prepared.raw["height"].eq(32).all()


def test_new_images_are_compared_with_those_learned() -> None:
    images, _ = plant("none", 33, n=150)
    prepared = prepare(images)
    later, planted = plant("noise", 34, n=40, count=1)
    matrix = prepared.transform(later)
    assert matrix.shape == (40, prepared.n_columns)
    assert int(np.argmax(matrix[:, -1])) == int(np.argmax(planted))


def test_lists_of_different_sizes_and_grey_images_are_read() -> None:
    images, _ = plant("none", 35, n=30)
    mixed = [im[: 32 - i % 5, :, 0] for i, im in enumerate(images)]
    prepared = prepare(mixed)
    assert prepared.n_rows == 30
    assert prepared.raw is not None
    assert prepared.raw["height"].nunique() == 5


def test_image_files_are_read_by_path(tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image")
    images, _ = plant("none", 36, n=20)
    for i, array in enumerate(images):
        image.fromarray(array).save(tmp_path / f"{i:02}.png")
    paths = sorted(str(p) for p in tmp_path.iterdir())
    prepared = prepare(paths)
    assert prepared.labels == tuple(paths)
    assert np.allclose(prepared.matrix, prepare(images).matrix)


def test_paths_without_the_reader_say_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(MissingExtra) as caught:
        prepare(["one.png", "two.png"])
    assert "gnomon[images]" in caught.value.suggestions[0]


def test_an_encoder_by_path_adds_its_view(tmp_path: Path) -> None:
    onnx = pytest.importorskip("onnx")
    helper, kind = onnx.helper, onnx.TensorProto.FLOAT
    graph = helper.make_graph(
        [helper.make_node("GlobalAveragePool", ["pixels"], ["vector"])],
        "mean colour",
        [helper.make_tensor_value_info("pixels", kind, ["n", 3, 16, 16])],
        [helper.make_tensor_value_info("vector", kind, ["n", 3, 1, 1])],
    )
    path = tmp_path / "encoder.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
    images, _ = plant("none", 37, n=150)
    images[46] = 255 - images[46]
    prepared = prepare(images, encoder=path)
    column = prepared.columns.index("appearance to the encoder")
    assert int(np.argmax(prepared.matrix[:, column])) == 46


def test_what_is_not_an_image_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="height, width"):
        prepare(np.zeros(10), data_type="image")
    (tmp_path / "broken.png").write_bytes(b"not an image")
    with pytest.raises(UnreadableSource, match=r"broken\.png"):
        prepare([tmp_path / "broken.png"])
    with pytest.raises(UnreadableSource, match="ONNX"):
        prepare(np.zeros((20, 8, 8)), encoder=tmp_path / "none.onnx")
