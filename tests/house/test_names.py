"""One name, one meaning: a public class has a name of its own in the whole package."""

import ast
from collections import defaultdict
from pathlib import Path

import proxops

ROOT = Path(proxops.__file__).parent


def public_classes(code: str) -> list[str]:
    """Those at the top of a file."""
    return [n.name for n in ast.parse(code).body if isinstance(n, ast.ClassDef) and not n.name.startswith("_")]


def test_no_two_modules_have_a_public_class_of_one_name() -> None:
    homes: dict[str, list[str]] = defaultdict(list)
    for path in sorted(ROOT.rglob("*.py")):
        for name in public_classes(path.read_text()):
            homes[name].append(str(path.relative_to(ROOT)))
    twice = [f"{name}: {', '.join(places)}" for name, places in sorted(homes.items()) if len(places) > 1]
    assert not twice, "give all but one of them another name, or make them one:\n" + "\n".join(twice)


def test_classes_are_seen() -> None:
    """The checker itself can fail."""
    code = "class Arm: ...\nclass _Own: ...\ndef f():\n    class Inner: ...\nclass Arm: ...\n"
    assert public_classes(code) == ["Arm", "Arm"]
