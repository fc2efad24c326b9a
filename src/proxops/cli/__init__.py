"""The command line. Commands are thin: they read options, call the package, print. Heavy imports wait until used."""

from __future__ import annotations

import gc
import json
import os
import sys
from importlib import import_module
from typing import Annotated, Final

import typer

from proxops.core.errors import EXIT_BAD_INPUT, EXIT_DONE, ProxopsError


def _version(asked: bool) -> None:
    if asked:
        from importlib.metadata import version

        print(f"proxops {version('proxops')}")
        raise typer.Exit


# Where each stands; of a group (True) the words that follow are commands. In the order of the help.
COMMANDS: Final = {
    "run": ("scenario", "run", False), "check": ("check", "check", False), "orbit": ("orbit", "orbit", False),
    "play": ("facility", "play", False), "convert": ("facility", "convert", False), "serve": ("facility", "serve", False),
    "dataset": ("dataset", "dataset", False), "pose": ("pose", "pose", False),
    "inspect": ("inspect", "inspect", False),
    "report": ("report", "report", False), "doctor": ("facility", "doctor", False), "list": ("scenario", "list_", False),
    "arm": ("arm", "arm", True), "ctl": ("ctl", "ctl", True), "ft": ("ft", "ft", True), "log": ("log", "log", True),
}  # fmt: skip


def _main(version: Annotated[bool, typer.Option("--version", is_eager=True, callback=_version)] = False) -> None:
    pass


def command_line(first: str = "") -> typer.Typer:
    """The commands; only one if ``first``, the first word, names it: to make all ready is a twentieth of a run's start."""
    app = typer.Typer(
        add_completion=False,
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        help="proxops: the open test facility for spacecraft rendezvous, docking and on-orbit servicing.",
    )
    app.callback(invoke_without_command=False)(_main)
    for name in (first,) if first in COMMANDS else COMMANDS:
        module, attribute, group = COMMANDS[name]
        found = getattr(import_module(f"proxops.cli.{module}"), attribute)
        if group:
            app.add_typer(found, name=name)
        else:
            app.command(name)(found)
    return app


# The parser's own errors. Typer brings its parser along or takes click's, so the class is found through what it exports.
WrongUsage: type[BaseException] = next(c for c in typer.BadParameter.__mro__ if c.__name__ == "ClickException")


def main() -> None:
    """Entry point: an error of ours becomes one clear message and its exit code (1 stopped, 2 bad input)."""
    # A start makes objects by the hundred thousand, and they stay: to look through them for garbage took a tenth of it.
    gc.set_threshold(50_000, 20, 20)
    try:
        app = command_line(*sys.argv[1:2])
        sys.exit(app(standalone_mode=False) or EXIT_DONE)
    except ProxopsError as error:
        if "--json" in sys.argv:
            print(json.dumps({"ok": False, "error": str(error), "exit": error.exit_code}, ensure_ascii=False))
        print(f"proxops: {error}", file=sys.stderr)
        sys.exit(error.exit_code)
    except typer.Exit as end:
        sys.exit(end.exit_code)
    except (typer.Abort, KeyboardInterrupt):
        print("proxops: interrupted", file=sys.stderr)
        sys.exit(130)
    except BrokenPipeError:  # the reader of our output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(EXIT_DONE)
    except WrongUsage as error:
        print(f"proxops: {' '.join(error.format_message().split())} (see --help)", file=sys.stderr)  # type: ignore[attr-defined]
        sys.exit(EXIT_BAD_INPUT)
