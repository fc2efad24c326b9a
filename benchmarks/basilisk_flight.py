"""Two rigid spacecraft in Basilisk. Runs in an interpreter of its own that has ``bsk`` and nothing of ours.

One JSON object on standard input (see ``basilisk.py``: constants, masses, first states), one on standard output: the states at
the moments asked for, and the processor's time that the steps took. Basilisk knows attitudes as modified Rodrigues parameters.
"""

from __future__ import annotations

import json
import math
import sys
import time
from typing import Any

import numpy as np
from Basilisk.simulation import (  # type: ignore[import-not-found]
    GravityGradientEffector,
    gravityEffector,
    spacecraft,
    sphericalHarmonicsGravityModel,
)
from Basilisk.utilities import SimulationBaseClass, macros  # type: ignore[import-not-found]


def earth(asked: dict[str, Any]) -> Any:
    """Point mass and J2 with the constants that are given; C20 is fully normalised, so J2 = -sqrt(5) C20."""
    body = gravityEffector.GravBodyData()
    body.planetName, body.isCentralBody = "earth_planet_data", True
    body.mu, body.radEquator = asked["mu"], asked["radius"]
    field = sphericalHarmonicsGravityModel.SphericalHarmonicsGravityModel()
    field.muBody, field.radEquator, field.maxDeg = asked["mu"], asked["radius"], 2
    c20 = -asked["j2"] / math.sqrt(5.0)
    field.cBar = [[1.0], [0.0, 0.0], [c20, 0.0, 0.0]]
    field.sBar = [[0.0], [0.0, 0.0], [0.0, 0.0, 0.0]]
    body.gravityModel = field
    return body


def craft(name: str, asked: dict[str, Any], body: Any) -> tuple[Any, Any]:
    """A rigid spacecraft about its centre of mass, and what turns it."""
    one = spacecraft.Spacecraft()
    one.ModelTag = name
    one.hub.mHub, one.hub.r_BcB_B = asked["mass"], [[0.0], [0.0], [0.0]]
    one.hub.IHubPntBc_B = asked["inertia"]
    one.hub.r_CN_NInit, one.hub.v_CN_NInit = _column(asked["p"]), _column(asked["v"])
    q = asked["q"]
    one.hub.sigma_BNInit = _column([c / (1.0 + q[0]) for c in q[1:]])
    one.hub.omega_BN_BInit = _column(asked["w"])
    one.gravField.gravBodies = spacecraft.GravBodyVector([body])
    gradient = GravityGradientEffector.GravityGradientEffector()
    gradient.ModelTag = name + "_gradient"
    gradient.addPlanetName(body.planetName)
    one.addDynamicEffector(gradient)
    return one, gradient


def _column(values: list[float]) -> list[list[float]]:
    return [[value] for value in values]


def state(one: Any) -> dict[str, list[float]]:
    """Centre of mass in eci and quaternion (scalar first) of the body in eci."""
    said = one.scStateOutMsg.read()
    sigma = np.array(said.sigma_BN)
    s2 = float(sigma @ sigma)
    q = np.array([1.0 - s2, *(2.0 * sigma)]) / (1.0 + s2)
    return {"p": list(said.r_CN_N), "v": list(said.v_CN_N), "q": q.tolist(), "w": list(said.omega_BN_B)}


def fly(asked: dict[str, Any]) -> dict[str, Any]:
    """Steps until each moment; the states there."""
    simulation = SimulationBaseClass.SimBaseClass()
    simulation.CreateNewProcess("process").addTask(simulation.CreateNewTask("task", macros.sec2nano(asked["dt"])))
    body = earth(asked)
    names = ("target", "chaser")
    made = [craft(name, asked[name], body) for name in names]
    for one, gradient in made:
        simulation.AddModelToTask("task", one)
        simulation.AddModelToTask("task", gradient)
    simulation.InitializeSimulation()
    rows, spent = [], 0.0
    for t in asked["moments"]:
        simulation.ConfigureStopTime(macros.sec2nano(t))
        began = time.process_time()
        simulation.ExecuteSimulation()
        spent += time.process_time() - began
        rows.append({name: state(one) for name, (one, _) in zip(names, made, strict=True)})
    return {"rows": rows, "cpu_s": spent}


if __name__ == "__main__":
    json.dump(fly(json.load(sys.stdin)), sys.stdout)
