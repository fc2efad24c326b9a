"""The wheel is the whole program: installed by pip into an environment that holds its declared dependencies and nothing else, far
from the repository, it runs a scenario in the hall, serves a cell with its console, and examines the machine."""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import subprocess
import sys
import time
import tomllib
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import distribution, version
from pathlib import Path
from urllib.request import urlopen

import pytest
from packaging.requirements import Requirement

import proxops
from proxops.maths.source_digest import root as kernels

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "proxops"
_FILE = tomllib.loads((ROOT / "pyproject.toml").read_text())
PROJECT, BUILD = _FILE["project"], _FILE["build-system"]
NEEDED = ("pyproject.toml", "README.md", "LICENSE")  # beside src/, for the build
WORKINGS = shutil.ignore_patterns("__pycache__", "*.egg-info")
SHORT = """
name = "short"
kind = "scripted"
about = "The hall comes to the chaser's place and holds it"
seed = 1
start = { distance_m = 4.0 }
motion = [{ kind = "hold", duration_s = 12.0 }]
"""
EXTRAS = {"harvesters", "genicam"}  # asked for by who has such a device
EXTRAS |= {"small_gicp", "skimage", "fast_simplification"}  # by who reconstructs an unknown client
START_S = 300.0  # patience, not a speed: a fresh clone compiles its kernels first


def pip(*words: object) -> None:
    """Pip of the present environment, off line."""
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from a copy, so that neither leavings of an earlier build get in nor this one's stay behind."""
    copy = tmp_path_factory.mktemp("build")
    shutil.copytree(SOURCE, copy / "src" / "proxops", ignore=WORKINGS)
    for name in NEEDED:
        shutil.copy(ROOT / name, copy)
    pip("wheel", "--quiet", "--no-deps", "--no-index", "--no-build-isolation", "--wheel-dir", copy / "dist", copy)
    (made,) = (copy / "dist").iterdir()
    return made


def closure(names: list[str]) -> set[str]:
    """Distributions that these requirements bring, directly or not."""
    found: set[str] = set()
    ahead = [Requirement(text) for text in names]
    while ahead:
        wanted = ahead.pop()
        if wanted.name not in found and (wanted.marker is None or wanted.marker.evaluate({"extra": ""})):
            found.add(wanted.name)
            ahead += [Requirement(text) for text in distribution(wanted.name).requires or ()]
    return found


@dataclass
class Installed:
    """The wheel in an environment of its own."""

    bin: Path
    folder: Path  # empty, where the commands are run
    environment: dict[str, str]

    def command(self, *words: str) -> list[str]:
        return [str(self.bin / "proxops"), *words]

    def said(self, command: list[str]) -> str:
        """Standard output of a command that succeeds."""
        done = subprocess.run(command, cwd=self.folder, env=self.environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def run(self, *words: str) -> str:
        return self.said(self.command(*words))


def link_dependencies(site: Path) -> None:
    """What pip would download is here already: link it, and nothing that the wheel does not ask for."""
    for name in closure(PROJECT["dependencies"]):
        found = distribution(name)
        for entry in {file.parts[0] for file in found.files or ()} - {"..", "__pycache__"}:
            link, there = site / entry, Path(str(found.locate_file(entry)))
            if not link.exists():
                link.symlink_to(there)


def link_kernels(cache: Path) -> None:
    """The same sources make the same kernels: those that are compiled already serve the wheel too."""
    (cache / "proxops").mkdir(parents=True)
    for folder in kernels().glob("*/"):
        (cache / "proxops" / folder.name).symlink_to(folder.resolve())


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    at = tmp_path_factory.mktemp("elsewhere")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", at / "env"], check=True)
    (site,) = (at / "env" / "lib").glob("python*/site-packages")
    link_dependencies(site)
    python = at / "env" / "bin" / "python"
    pip("--python", python, "install", "--quiet", "--no-deps", "--no-index", wheel)
    pip("--python", python, "check")
    link_kernels(at / "cache")
    (at / "empty").mkdir()
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    return Installed(python.parent, at / "empty", {**environment, "NUMBA_CACHE_DIR": str(at / "cache")})


def test_setuptools_knows_the_licence_key() -> None:
    """``license = "MIT"`` and wheels without another package; Python 3.11 itself brings a setuptools that is too old."""
    (wanted,) = (Requirement(text) for text in BUILD["requires"])
    assert version("setuptools") in wanted.specifier, f"make setup brings {wanted}"


def test_the_wheel_holds_all_that_the_package_holds(wheel: Path) -> None:
    here = {path.relative_to(SOURCE.parent).as_posix() for path in SOURCE.rglob("*") if path.is_file()}
    here = {name for name in here if "__pycache__" not in name}
    there = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    assert there == here
    assert "proxops/console/static/index.html" in there, "make setup builds the page"


def strangers() -> set[str]:
    """Every package of others that a file of ours imports, also those that are imported late."""
    found: set[str] = set()
    for file in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_bytes())):
            if isinstance(node, ast.Import):
                found |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                found.add(node.module.partition(".")[0])
    return found - set(sys.stdlib_module_names) - {"proxops"} - EXTRAS


def test_the_wheel_is_what_runs_and_it_asks_for_all_that_it_imports(installed: Installed) -> None:
    program = f"import {', '.join(sorted(strangers()))}; import proxops; print(proxops.__file__, proxops.__version__)"
    said = installed.said([str(installed.bin / "python"), "-c", program])
    file, number = said.split()
    assert Path(file).is_relative_to(installed.bin.parent)
    assert number == proxops.__version__ == PROJECT["version"]


def test_it_finds_what_is_shipped_and_flies(installed: Installed) -> None:
    listed = installed.run("list")
    assert not {name for name in ("straight", "approach", "docking") if name not in listed}
    (installed.folder / "short.toml").write_text(SHORT)
    summary = json.loads(installed.run("run", "short.toml", "--json", "--no-report", "--out", "flown"))
    assert summary["passed"]
    assert {path.name for path in (installed.folder / "flown").iterdir()} >= {"run.mcap", "summary.json"}


def test_it_examines_the_machine(installed: Installed) -> None:
    assert "compiled kernels" in {finding["name"] for finding in json.loads(installed.run("doctor", "--json"))}


@pytest.fixture
def address(installed: Installed) -> Iterator[str]:
    """Of the console of a served cell; that of one arm begins sooner than the hall, in which the scenario was flown."""
    words = ["serve", "--cell", "fzi", "--out", "served", "--no-report"]
    words += ["--port", "0", "--bridge-port", "0", "--control", "0"]
    told = installed.folder / "told.txt"
    with told.open("w") as stream:
        process = subprocess.Popen(
            installed.command(*words, "--console-port", "0"),
            cwd=installed.folder,
            env=installed.environment,
            stderr=stream,
            stdout=stream,
        )
    try:
        until = time.monotonic() + START_S
        while not (found := re.findall(r"console: (\S+)", told.read_text())):
            assert process.poll() is None and time.monotonic() < until, told.read_text()
            time.sleep(0.05)
        yield found[0]
    finally:
        process.terminate()
        process.wait(60)


def test_it_serves_the_console_with_its_page(address: str) -> None:
    page = urlopen(address).read().decode()
    parts = re.findall(r'(?:src|href)="/?([^"]+\.(?:js|css|svg))"', page)
    assert parts
    for part in parts:
        assert urlopen(address + part).read() == (SOURCE / "console" / "static" / part).read_bytes()
