"""Your own object in the micro-gravity testbed: shape, mass, inertia and friction from a TOML file, pushes that the force sensor
must recognise, an arm that shows the motion. Run it as it is: python examples/08_your_own_object.py [FILE]
"""

import sys
from pathlib import Path

import numpy as np

from proxops.applications.catalogue import parse_experiment
from proxops.applications.experiments import carry_out
from proxops.core.errors import BadInput

FILE = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).with_name("my_object.toml")


def main() -> None:
    text = FILE.read_text()
    run = carry_out(parse_experiment(text, FILE), lambda what, done_s, of_s: None)  # in lockstep

    for title, head, rows in run.tables:  # pushes, reaction times, how well the arm follows
        print(title)
        for row in (head, *rows):
            print("  " + " | ".join(row))
    for criterion in run.criteria:
        print(f"{'kept  ' if criterion.passed else 'BROKEN'} {criterion.name}: {criterion.value} ({criterion.bound})")

    module = next(series for series in run.series if series.name == "module")  # every 4 ms: position, quaternion
    way = np.linalg.norm(np.diff(module.values[:, :3], axis=0), axis=1)
    print(f"{run.figures['bounces']} bounces on a way of {way[way < 0.1].sum():.2f} m")

    # What cannot float is refused by name before anything moves: the same object as a needle without thickness.
    try:
        parse_experiment(text.replace("[0.26, 0.26, 0.13,", "[0.26, 0.26, 0.60,"), FILE)
    except BadInput as error:
        print(f"refused: {error}")


if __name__ == "__main__":
    main()
