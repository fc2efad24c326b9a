"""The command line. Commands are thin: they read options, call the package, print. Heavy imports wait until used."""

from __future__ import annotations

import atexit
import gc
import json
import os
import sys
from typing import Annotated

import typer

from proxops.cli.arm import arm
from proxops.cli.check import check
from proxops.cli.ctl import ctl
from proxops.cli.facility import convert, doctor, play, serve
from proxops.cli.ft import ft
from proxops.cli.log import log
from proxops.cli.orbit import orbit
from proxops.cli.report import report
from proxops.cli.scenario import list_, run
from proxops.core.errors import EXIT_BAD_INPUT, EXIT_DONE, ProxopsError


def _version(asked: bool) -> None:
    if asked:
        from importlib.metadata import version

        print(f"proxops {version('proxops')}")
        raise typer.Exit


app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    help="proxops: the open test facility for spacecraft rendezvous, docking and on-orbit servicing.",
)


@app.callback(invoke_without_command=False)
def _main(version: Annotated[bool, typer.Option("--version", is_eager=True, callback=_version)] = False) -> None:
    pass


for _command in (run, check, orbit, play, convert, serve, report, doctor):
    app.command()(_command)
app.command("list")(list_)
app.add_typer(arm, name="arm")
app.add_typer(ctl, name="ctl")
app.add_typer(ft, name="ft")
app.add_typer(log, name="log")


# The parser's own errors. Typer brings its parser along or takes click's, so the class is found through what it exports.
WrongUsage: type[BaseException] = next(c for c in typer.BadParameter.__mro__ if c.__name__ == "ClickException")


def main() -> None:
    """Entry point: an error of ours becomes one clear message and its exit code (1 stopped, 2 bad input)."""
    # A start makes objects by the hundred thousand, and they stay: to look through them for garbage took a tenth of it, and as
    # long again at the end, when the system takes all of it back at once.
    gc.set_threshold(50_000, 20, 20)
    atexit.register(gc.freeze)
    try:
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
