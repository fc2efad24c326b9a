"""Labelled images: the same seed gives the same files, labels say what is true, what cannot be drawn is refused."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest
from small_eyes import EYES, FLIGHT

import proxops
from proxops.applications.mission.dataset.lights import CATALOGUE, EARTH_RAD, sun_and_earth
from proxops.core.errors import BadInput
from proxops.optics.scene.light import SUN_RADIUS_RAD
from proxops.space.sunlight import visible_share


@pytest.fixture(scope="module")
def mission(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("dataset") / "short.toml"
    path.write_text(FLIGHT + EYES)
    return path


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def rows(folder: Path) -> list[dict[str, str]]:
    with (folder / "labels.csv").open() as file:
        return list(csv.DictReader(file))


def test_a_seed_is_repeated_bit_for_bit_and_another_is_another(mission: Path, tmp_path: Path) -> None:
    for name, seed in (("one", 3), ("two", 3), ("three", 4)):
        proxops.dataset(mission, out=tmp_path / name, count=4, seed=seed, lights="usual,lamp")
    assert files(tmp_path / "one") == files(tmp_path / "two")
    assert files(tmp_path / "one")["labels.csv"] != files(tmp_path / "three")["labels.csv"]


def test_labels_say_what_is_true(mission: Path, tmp_path: Path) -> None:
    about = proxops.dataset(mission, out=tmp_path / "set", count=20, seed=1, between_m=(3.0, 9.0))
    found = rows(tmp_path / "set")
    assert about["images"] == len(found) == 40 and json.loads((tmp_path / "set" / "dataset.json").read_text()) == about
    assert {row["light"] for row in found} == set(CATALOGUE) and {row["split"] for row in found} == {"train", "test"}
    for row in found:
        assert (tmp_path / "set" / row["file"]).exists() and 3.0 <= float(row["range_m"]) <= 9.0
        light, p = CATALOGUE[row["light"]], np.array([float(row[f"sensor_target_{c}"]) for c in "xyz"])
        sun = np.array([float(row[f"to_sun_{c}"]) for c in "xyz"])
        phase = np.degrees(np.arccos(-sun @ p / np.linalg.norm(p)))
        assert light.phase_deg[0] - 1e-6 <= phase <= light.phase_deg[1] + 1e-6
        assert float(row["sunlit"]) == light.sunlit and np.linalg.norm(sun) == pytest.approx(1.0)


@pytest.mark.parametrize("name", CATALOGUE)
def test_the_earth_stands_where_it_leaves_as_much_sunlight_as_is_said(name: str) -> None:
    rng, light = np.random.default_rng(5), CATALOGUE[name]
    for _ in range(50):
        sun, earth = sun_and_earth(light, np.array([0.6, 0.0, 0.8]), rng)
        apart = float(np.arccos(np.clip(sun @ earth, -1.0, 1.0)))
        assert visible_share(SUN_RADIUS_RAD, EARTH_RAD, apart) == pytest.approx(light.sunlit, abs=0.021)


def test_flown_poses_are_those_of_the_mission(mission: Path, tmp_path: Path) -> None:
    proxops.dataset(mission, out=tmp_path / "set", count=3, poses="flown")
    ranges = [float(row["range_m"]) for row in rows(tmp_path / "set") if row["sensor"] == "eye"]
    assert len(ranges) == 3 and all(4.0 < r < 7.0 for r in ranges)


def test_the_sun_is_anywhere_in_its_condition() -> None:
    rng, sight = np.random.default_rng(1), np.array([0.6, 0.0, 0.8])
    angles = [np.degrees(np.arccos(sun_and_earth(CATALOGUE["usual"], sight, rng)[0] @ sight)) for _ in range(400)]
    assert min(angles) < 18.0 and max(angles) > 68.0 and min(angles) >= 15.0 and max(angles) <= 70.0


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ({"lights": "candle"}, "no such light"),
        ({"between_m": (9.0, 3.0)}, "no range of distances"),
        ({"splits": "train"}, "splits"),
        ({"splits": "train=-1"}, "splits"),
        ({"count": 0}, "no images"),
    ],
)
def test_what_cannot_be_drawn_is_refused(
    words: dict[str, object], complaint: str, mission: Path, tmp_path: Path
) -> None:
    with pytest.raises(BadInput, match=complaint):
        proxops.dataset(mission, out=tmp_path / "set", **words)  # type: ignore[arg-type]
    assert not (tmp_path / "set").exists()


def test_a_mission_without_eyes_and_a_full_folder_are_refused(mission: Path, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no sensor that takes pictures"):
        proxops.dataset("approach", out=tmp_path / "set")
    with pytest.raises(BadInput, match="not empty"):
        proxops.dataset(mission, out=mission.parent)
