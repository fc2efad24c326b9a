"""Draws docs/contact_delay.svg: what a delay does to a contact, and what is left of it with the cure.

Run: PYTHONPATH=. python docs/draw_contact.py
Everything drawn is computed by the package's own kernels: the loop of force over penetration by the virtual hardware through a
delay, the restitutions by feeding the force back and by the docking loop, on undamped contacts with noise, a dead zone and a
delay known to 0.05 ms.
"""

import math
from pathlib import Path

import numpy as np
from benchmarks.studies.contact_case import DTAU_S, Case
from benchmarks.studies.contact_study import docked, fed_back
from benchmarks.studies.delayed_bounce import NONE, flown, hardware, placed, put_node, reading, straight_path
from svg_sheet import CHASER, DIM, FAINT, INK, TARGET, Point, Sheet

from proxops.core.messages import PERIOD_S

OMEGA_TAU = 0.3
LAG = 50  # steps of the drawn loop in a delay
POINTS = 26
WIDTH, HEIGHT = 860, 400
TOP, BOTTOM = 74.0, 326.0


def delayed_loop() -> tuple[list[Point], list[Point]]:
    """Force over the simulated mass's depth and over the hardware's own, in units of the ideal greatest ones."""
    dt = OMEGA_TAU / LAG
    device, path = hardware(1.0, 0.0, LAG), straight_path(0.0, dt)
    x, v, felt, true = 0.0, 1.0, [], []
    for tick in range(10 * LAG * 5):
        force = reading(device, path, tick, dt, 0.0)
        place = placed(path, tick - LAG)[0]
        if x < 0.0 and place < 0.0 and v < 0.0:
            break
        felt.append((x, force))
        if place >= 0.0 and tick % 20 == 0:
            true.append((place, force))
        x, v = flown(x, v, force, 1.0, dt)
        put_node(path, tick + 1, x, v * dt)
    return felt, true


def draw_loop(sheet: Sheet) -> None:
    felt, true = delayed_loop()
    left, scale = 64.0, 180.0

    def at(p: Point) -> Point:
        return left + 92.0 + scale * p[0], BOTTOM - scale * p[1]

    sheet.text(left - 30.0, 34.0, "Force over penetration", 'class="h"')
    sheet.text(left - 30.0, 52.0, f"undamped contact, ωτ = {OMEGA_TAU:g}", 'class="t"')
    sheet.path([at((-0.45, 0.0)), at((1.55, 0.0))], f'stroke="{DIM}" fill="none" marker-end="url(#dim)"')
    sheet.path([at((0.0, 0.0)), at((0.0, 1.36))], f'stroke="{DIM}" fill="none" marker-end="url(#dim)"')
    sheet.path([at(p) for p in felt], f'fill="{CHASER}" fill-opacity="0.14" stroke="none"', closed=True)
    sheet.path([at(p) for p in felt], f'fill="none" stroke="{CHASER}" stroke-width="2.2"')
    sheet.path([at((0.0, 0.0)), at((1.2, 1.2))], f'fill="none" stroke="{TARGET}" stroke-width="1.6"')
    for p in true:
        x, y = at(p)
        sheet.add(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{TARGET}"/>')
    sheet.text(*at((0.68, 0.27)), "in: felt too late", f'class="s" style="fill:{CHASER}"')
    sheet.text(*at((0.03, 1.04)), "out: felt too long", f'class="s" style="fill:{CHASER}"')
    sheet.text(*at((0.53, 0.09)), "area = energy out of nothing", f'class="s" style="fill:{CHASER}"')
    sheet.text(*at((1.18, 0.86)), "the same samples", f'class="s" style="fill:{TARGET}"')
    sheet.text(*at((1.18, 0.78)), "over where the", f'class="s" style="fill:{TARGET}"')
    sheet.text(*at((1.18, 0.70)), "hardware was", f'class="s" style="fill:{TARGET}"')
    sheet.text(left + 60.0, BOTTOM + 40.0, "penetration of the simulated mass, in v₀ / ω", 'class="s"')
    sheet.add(
        f'<text class="s" transform="translate({left - 22.0:.1f} {BOTTOM - 60.0:.1f}) rotate(-90)">force, in v₀ √(k m)</text>'
    )


def restitutions() -> tuple[list[Point], list[Point]]:
    """(omega tau, restitution) of undamped contacts, uncompensated (the hold's half tick counted as delay) and by the
    docking loop."""
    rng, plain, cured = np.random.default_rng(12), [], []
    for i in range(POINTS):
        omega_tau, mass, stiffness = 0.03 + 0.66 * i / (POINTS - 1), 600.0, 6e4
        omega = math.sqrt(stiffness / mass)
        speed, tau = 0.02, omega_tau / omega
        peak = speed * math.sqrt(stiffness * mass)
        error, gap = DTAU_S * rng.uniform(-1.0, 1.0), speed * (tau + PERIOD_S * (5.0 + rng.uniform()))
        case = Case(mass, stiffness, speed, tau, 0.0, 1.0, 0.01 * peak, 0.05 * peak, error, gap, i)
        plain.append((omega * (tau + 0.5 * PERIOD_S), fed_back(case, NONE)))
        cured.append((omega_tau, docked(case).restitution))
    return [p for p in plain if p[0] <= 0.7], cured


def draw_restitution(sheet: Sheet) -> None:
    plain, cured = restitutions()
    left, across, up = 520.0, 400.0, 190.0

    def at(p: Point) -> Point:
        return left + across * p[0], BOTTOM - 20.0 - up * math.log(p[1])

    sheet.text(left - 40.0, 34.0, "Restitution over ωτ", 'class="h"')
    sheet.text(left - 40.0, 52.0, "undamped: 1 is true; logarithmic", 'class="t"')
    for e in (1.0, 1.5, 2.0, 3.0):
        sheet.path([at((0.0, e)), at((0.72, e))], f'stroke="{FAINT}" stroke-width="0.6" fill="none"')
        x, y = at((0.0, e))
        sheet.text(x - 28.0, y + 4.0, f"{e:g}", 'class="s"')
    for tick in (0.0, 0.2, 0.4, 0.6):
        sheet.text(at((tick, 1.0))[0] - 8.0, BOTTOM + 18.0, f"{tick:g}", 'class="s"')
    sheet.path(
        [at((0.0, 1.0)), at((0.7, math.exp(0.35 * math.pi)))], f'fill="none" stroke="{INK}" stroke-dasharray="5 4"'
    )
    for points, colour in ((plain, CHASER), (cured, TARGET)):
        for p in points:
            sheet.dot(at(p), colour, 3.5)
    sheet.text(*at((0.17, 2.25)), "exp(π ω τ / 2)", 'class="i"')
    sheet.text(*at((0.45, 1.6)), "delay left alone", f'class="s" style="fill:{CHASER}"')
    sheet.text(*at((0.2, 1.07)), "identified and replayed", f'class="s" style="fill:{TARGET}"')
    sheet.text(left + 30.0, BOTTOM + 40.0, "delay times contact frequency, ωτ", 'class="s"')


def main() -> None:
    sheet = Sheet("A contact through a delay", WIDTH, HEIGHT)
    draw_loop(sheet)
    draw_restitution(sheet)
    sheet.save(Path(__file__).parent / "contact_delay.svg")


if __name__ == "__main__":
    main()
