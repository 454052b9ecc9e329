"""What was picked is written into the YAML of the model, beside whatever people wrote there."""

from pathlib import Path

from tests.planning import fake_models

from gnomon.semantic.model import SemanticModel
from gnomon.semantic.yaml_io import load_model, teach


def parcels() -> SemanticModel:
    return fake_models.parcels().model_copy(update={"joins": ()})


def test_a_file_is_made_and_read_back(tmp_path: Path) -> None:
    file = tmp_path / "meanings" / "a.yaml"
    teach(file, "Outlay", "postage")
    teach(file, "haulier", "depot")
    teach(file, "outlay", "postage")
    model = load_model(file.read_text(), parcels())
    assert dict(model.preferred) == {"outlay": "postage", "haulier": "depot"}
    assert "outlay" in model.metric("postage").synonyms


def test_what_people_wrote_stays(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(
        "# my own words\ntables:\n- name: parcels\n  label: shipment  # not parcel\nsynonyms:\n  outlay: postage\n"
    )
    teach(file, "heft: gross", "weight")
    text = file.read_text()
    assert "# my own words" in text and "# not parcel" in text
    model = load_model(text, parcels())
    assert model.table("parcels").label == "shipment"
    assert dict(model.preferred) == {"outlay": "postage", "heft: gross": "weight"}
