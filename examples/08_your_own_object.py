"""Your own object in the micro-gravity testbed: shape, mass, inertia and friction from a TOML file, pushes that the force sensor
must recognise, an arm that shows the motion. Run it as it is: python examples/08_your_own_object.py [FILE]
"""

import sys
import tempfile
from pathlib import Path

import numpy as np

import proxops

FILE = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).with_name("my_object.toml")


def main() -> None:
    folder = Path(tempfile.mkdtemp())
    run = proxops.run(FILE, out=folder / "run", report=False)  # in lockstep

    for title, head, rows in run.summary["tables"]:  # pushes, reaction times, how well the arm follows
        print(title)
        for row in (head, *rows):
            print("  " + " | ".join(row))
    for criterion in run.summary["criteria"]:
        kept = "kept  " if criterion["passed"] else "BROKEN"
        print(f"{kept} {criterion['name']}: {criterion['value']} ({criterion['bound']})")

    module = np.array([run.log.values(f"module.{axis}") for axis in "xyz"])  # m, every 4 ms
    way = np.linalg.norm(np.diff(module), axis=0)
    print(f"{run.summary['figures']['bounces']} bounces on a way of {way[way < 0.1].sum():.2f} m")

    # What cannot float is refused by name before anything moves: the same object as a needle without thickness.
    try:
        needle = folder / "needle.toml"
        needle.write_text(FILE.read_text().replace("[0.26, 0.26, 0.13,", "[0.26, 0.26, 0.60,"))
        proxops.run(needle, out=folder / "needle")
    except proxops.BadInput as error:
        print(f"refused: {error}")


if __name__ == "__main__":
    main()
