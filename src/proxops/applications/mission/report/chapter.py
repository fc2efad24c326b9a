"""The chapter of a mission in its report: drawings and tables in the order of the page, and where the rest of it is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from proxops.applications.mission.report.actuator_figures import actuator_figure
from proxops.applications.mission.report.course_figures import audit_figure, course_figure, surroundings_figure
from proxops.applications.mission.report.criteria import criteria
from proxops.applications.mission.report.estimate_figures import consistency_figure, error_figure, measurement_figure
from proxops.applications.mission.report.mission_run import MissionRun, mission_run
from proxops.applications.mission.report.path_figures import laboratory_figure, orbit_frame_figure
from proxops.applications.mission.report.pose import hall_delays, hall_errors
from proxops.applications.mission.report.scene_figure import scene_figure
from proxops.applications.mission.report.summary import figures_of
from proxops.applications.mission.report.vision_section import image_sections
from proxops.applications.mission.report.words import (
    AUDIT_HEAD,
    CONTACT_HEAD,
    ESTIMATE_HEAD,
    LINE_HEAD,
    MISSION_PHASE_HEAD,
    audit_rows,
    contact_rows,
    estimate_rows,
    how_it_flew,
    line_rows,
    mission_phase_rows,
    mission_rows,
)
from proxops.ground.chapter import Chapter, Figures
from proxops.ground.section import Drawing, Part, Section, Table, Text
from proxops.lab.cell import Cell

SURROUNDINGS_NOTE: Final = "Share of the sun's disc in view, and density of the air, at the target."
LEAST_ROWS: Final = 3  # of truth: less cannot be drawn

PATH_NOTE: Final = (
    "The chaser's centre of mass about the target's (orange square), equal scales, the Earth below. Diamonds: holds; open "
    "and full circle: start and end; red: corridor of the straight approach; dashed circle: keep-out sphere; dashed orange: "
    "docking axis at the end. Bottom right: the docking interfaces in the target's turning frame, corridor of the final step."
)
SCENE_NOTE: Final = (
    "Path in LVLH, flight to the right, the Earth below; its shadow in grey. Boxes have the craft's mass and inertia, not its "
    "looks. Dashed: the target's docking axis at the moments at which the chaser is drawn."
)
LAB_NOTE: Final = "The ports in the hall from above during the mission, docking axes at six moments, rail and walls."
CONTACT_NOTE: Final = (
    "Limits: initial contact conditions of the docking standard. In the hall: from the true positions of the virtual robots "
    "in that cycle, rates over the last second; the hall is some 50 ms behind the orbit."
)
COURSE_NOTE: Final = (
    "Truth; the corridor as the flight software saw it. Dashed: speeds of the plan. Red, dotted: limits at contact."
)
ERROR_NOTE: Final = (
    "Estimate minus truth; shaded: 3 σ of what the filter claims. Position and velocity in LVLH axes, attitude and rate in "
    "the target's frame. Scales leave out the first 20 s of the filter."
)
NEES_NOTE: Final = (
    "Above the band the filter is too sure of itself, below it too cautious. Errors of neighbouring steps are alike, as are "
    "those of a fixed bias: one run tells less than its number of points suggests."
)
ESTIMATE_NOTE: Final = (
    "Rms of the error's length; share of components inside of 3 σ: position / velocity / attitude / rate (99.7 % if right); "
    "mean normalised error (12 if right)."
)
HALL_NOTE: Final = (
    "Measurements by what the sensor looked at, and those the filter refused. Below: where the hall truly stood against the "
    "relative pose that the application had computed, while the hall showed it. Nominal delays taken off: the rail's for "
    "position, the arms' for attitude; what is left is the robots' positioning, attitude times distance included."
)
UNSEEN_NOTE: Final = (
    "Measurements by what the sensor looked at, and those the filter refused. The hall did not show this mission."
)
ACTUATOR_NOTE: Final = (
    "On-time of each thruster, square-root colours; crosses: made to fail. Momentum of each wheel as a share of the most that "
    "it can hold."
)
LINE_NOTE: Final = (
    "The simulation did not wait: this flight was free-running. Lateness: wall time from sending measurements to taking their "
    "answer, which is looked for every 4 ms. Missed: a newer answer was carried out first, or none came."
)
AUDIT_NOTE: Final = (
    "Energy and momentum that no force, torque or impulse accounts for, relative to the quantity itself; greatest of each "
    "stretch. Dotted: bound."
)


def sections(run: MissionRun, cell: Cell, m: Figures) -> Iterator[Section]:
    """Of a mission; ``m``: its figures."""
    if m["flight_line"]:
        yield Section("On-board computer", [Table(LINE_HEAD, line_rows(m["flight_line"]), LINE_NOTE)])
    if run.truth.size < LEAST_ROWS or run.steps.size < LEAST_ROWS:
        yield Section("Mission", [Text(["It never began, or ended at once: there is nothing to draw."])])
        return
    yield from _approach(run, m, cell)
    yield from _estimate(run, m, cell)
    yield from image_sections(run, cell, m)
    yield Section("Thrusters, wheels, propellant", [Drawing(actuator_figure(run), ACTUATOR_NOTE)])
    audit = Table(AUDIT_HEAD, audit_rows(m))
    yield Section("Conservation audit", [Drawing(audit_figure(run), AUDIT_NOTE), audit])
    yield Section("Along the orbit", [Drawing(surroundings_figure(run), SURROUNDINGS_NOTE)])


def _approach(run: MissionRun, m: Figures, cell: Cell) -> Iterator[Section]:
    if m["contact"]:
        yield Section("Contact", [Table(CONTACT_HEAD, contact_rows(m), CONTACT_NOTE)])
    yield Section("The approach in orbit", _in_orbit(run, m))
    if m["hall_position_error_rms_m"] is not None:
        yield Section("The approach in the laboratory", [Drawing(laboratory_figure(run, cell), LAB_NOTE)])


def _in_orbit(run: MissionRun, m: Figures) -> Iterator[Part]:
    yield Drawing(orbit_frame_figure(run), PATH_NOTE)
    yield Drawing(scene_figure(run), SCENE_NOTE)
    yield Drawing(course_figure(run), COURSE_NOTE)
    yield Table(MISSION_PHASE_HEAD, mission_phase_rows(m))


def _estimate(run: MissionRun, m: Figures, cell: Cell) -> Iterator[Section]:
    if m["estimate"]:
        yield Section("What the flight software believed", _belief(run, m))
    note = HALL_NOTE if m["hall_position_error_rms_m"] is not None else UNSEEN_NOTE
    seen = measurement_figure(run, (hall_errors(run), hall_errors(run, hall_delays(cell))))
    yield Section("What the sensor saw", [Drawing(seen, note)])


def _belief(run: MissionRun, m: Figures) -> Iterator[Part]:
    yield Drawing(error_figure(run), ERROR_NOTE)
    yield Drawing(consistency_figure(run), NEES_NOTE)
    yield Table(ESTIMATE_HEAD, estimate_rows(m), ESTIMATE_NOTE)


MISSION: Final = Chapter("mission", mission_run, figures_of, criteria, how_it_flew, mission_rows, sections)
