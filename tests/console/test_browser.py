"""The whole operation in a real browser (Chromium): what an operator sees, presses and gets; two operators; a lost connection."""

from __future__ import annotations

import math
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from console_beside import console_beside
from cut_line import CutLine
from eye_writer import EyeWriter, depth, picture, scan
from jog_hold import MINUS, PLUS, hold_until_it_moves, point_at, stands
from served_console import Served, Tab, wait_until

from proxops.core.vision import Marks, PoseFound
from proxops.core.vocabulary import Doubt, VisionState
from proxops.lab.any_cell import load_cell
from proxops.lab.coordinates import values_from_axes

OpenTab = Callable[..., Tab]
STANDS_MS = 100.0  # a bound, not a speed: heartbeats that are late only let the motion end earlier
HOME_DEG = (0.0, -90.0, 90.0, 0.0, 0.0, 0.0)


def swing(path: Path, *, bad_lines: tuple[int, ...] = (), a2_deg: float = 0.0) -> Path:
    """Four seconds in IJT, away from home: the rail and robot 1's axis 1 swing once."""
    lines = []
    for k in range(1000):
        phase = 0.5 * (1 - math.cos(2 * math.pi * k / 999))
        robot1 = (2.0 + 3.0 * phase, HOME_DEG[1] + a2_deg, *HOME_DEG[2:], 0.0)
        values = [*robot1, *HOME_DEG, 0.0, *[0.0] * 7, 5950.0 - 20.0 * phase]
        words = ["3", *(f"{v:.6f}" for v in values)]
        lines.append(" ".join(words[:-1] if k + 1 in bad_lines else words))
    path.write_text("\n".join(lines) + "\n")
    return path


def plain(served: Served) -> str:
    """The console with the plan of the hall, for tests that do not look at its picture: without a graphics card, the cores that
    the hall runs on would draw it in three dimensions."""
    return served.address + "?plan"


@pytest.fixture(autouse=True)
def ready(served: Served) -> None:
    """Every test finds the hall ready and closed, whatever the one before has left."""
    status = served.ask("status")
    for name in status["open_interlocks"]:
        served.ask("interlock", name=name, healthy=True)
    if status["mode"] not in ("READY", "STANDBY"):
        served.ask("safe_stop")
        served.wait_mode("STOPPED")
        served.ask("reset")
    if served.ask("status")["mode"] == "STANDBY":
        served.ask("drives", on=True)
    served.wait_mode("READY")


# ---------------------------------------------------------------------- seeing
def test_the_page_shows_the_hall_and_asks_nobody_else(served: Served, open_tab: OpenTab) -> None:
    tab = open_tab(served.address)
    tab.wait_mode("READY")
    tab.wait("proxops.hall?.webgl === true", 30.0)
    tab.wait("proxops.desk.ageMs() < 250 && !document.body.classList.contains('stale')")
    for page in ("command", "rvd", "fmc", "security", "mcu", "timing", "logs"):
        tab.open(page)
        time.sleep(0.5)
        assert tab.page.is_visible("#safe-stop") and tab.page.is_visible("#age")
        scrolls = tab.ask(
            "() => document.documentElement.scrollHeight > innerHeight || document.documentElement.scrollWidth > innerWidth"
        )
        assert not scrolls, f"{page} does not fit 1366x768"
    assert not tab.page.is_visible('nav.tabs a[href="#/sensors"]')  # it has none
    assert tab.errors == []
    assert {url for url in tab.requests if not url.startswith(served.address)} - {"about:blank"} <= {
        url for url in tab.requests if url.startswith(("blob:", "data:", f"ws://127.0.0.1:{served.port}/"))
    }


def test_joints_of_the_scene_are_those_of_the_robots(served: Served, open_tab: OpenTab) -> None:
    """Read back from the scene's own objects: joints as the facility says, flanges where its kinematics puts them."""
    tab = open_tab(served.address)
    tab.open("rvd")
    tab.wait("proxops.hall", 30.0)
    served.ask("select", source="sine")
    served.ask("sine", axis="robot2_a1", amplitude=math.radians(3.0), frequency_hz=0.5, cycles=2)
    served.wait_mode("READY")
    status = served.ask("status")
    tab.wait("proxops.hall && proxops.desk.mode === 'READY'")
    time.sleep(0.3)
    look = "() => [proxops.hall.axesShown('actual'), ...[1, 2].map((robot) => proxops.hall.flange(robot, 'actual'))]"
    axes, *flanges = tab.ask(look)  # of one and the same moment
    shown = np.array(axes)
    assert shown == pytest.approx(list(status["axes"].values()), abs=2e-4)  # repeatability differs from cycle to cycle
    ghost = tab.ask("() => Array.from(proxops.hall.axesShown('commanded'))")
    assert ghost == pytest.approx(list(status["setpoint"].values()), abs=1e-8)  # the status has nine digits
    cell, values = load_cell(), np.zeros(22)
    values_from_axes(cell.hall, 4, shown, np.zeros(7), values)  # IDC: flange in base, mm
    for robot, base, at in ((1, "base1", 0), (2, "base2", 7)):
        T_lab_flange = np.array(flanges[robot - 1]).reshape(4, 4)
        T_lab_base = np.array(cell.hall[base][0])
        T_lab_base[0, 3] += shown[0] if robot == 1 else 0.0
        p_base_flange = (np.linalg.inv(T_lab_base) @ T_lab_flange)[:3, 3]
        assert p_base_flange * 1e3 == pytest.approx(values[at : at + 3], abs=1e-3)


def test_without_webgl_there_is_a_plan(served: Served, open_tab: OpenTab, browser: Any) -> None:
    tab = open_tab(served.address + "?plan")
    tab.open("rvd")
    tab.wait("proxops.hall?.webgl === false", 20.0)
    assert "plan view" in tab.page.inner_text("section.page.rvd").lower()
    shown = np.array(tab.ask("() => Array.from(proxops.hall.axesShown('actual'))"))
    assert shown == pytest.approx(list(served.ask("status")["axes"].values()), abs=2e-4)
    assert tab.errors == []


# ---------------------------------------------------------------------- operating
def test_from_the_first_look_to_the_replay(served: Served, open_tab: OpenTab, tmp_path: Path) -> None:
    """Upload, move to start, confirm, safe stop, reset, jog, door, replay: all by mouse, keyboard and eye."""
    tab = open_tab(served.address)
    tab.wait_mode("READY")
    button = tab.page.locator('button[data-request="confirm"]')
    assert button.get_attribute("aria-disabled") == "true" and "take control" in (button.get_attribute("title") or "")
    tab.take_control()
    tab.wait("document.querySelector('button[data-request=\"confirm\"]').title.includes('AT_START')")

    tab.page.set_input_files("#trajectory", swing(tmp_path / "bad.txt", bad_lines=(17, 400)))
    tab.wait("document.querySelector('.findings')?.textContent.includes('line 400')", 60.0)
    assert "line 17: 22 columns" in tab.page.inner_text(".findings")
    assert tab.page.get_attribute('button:has-text("Put on the desk")', "aria-disabled") == "true"
    tab.page.set_input_files("#trajectory", swing(tmp_path / "good.txt"))
    tab.wait("proxops.desk.upload?.phase === 'checked' && proxops.desk.upload.feasible", 60.0)
    tab.wait("document.querySelector('.upload-state').textContent.includes('can be played as it is written')")
    tab.page.click('button:has-text("Put on the desk")')
    tab.wait("proxops.desk.status?.trajectory", 30.0)

    tab.press("select async")
    tab.wait_mode("ARMED")
    tab.page.select_option("#order", "robot1,rail,robot2")
    tab.press("move_to_start")
    tab.wait_mode("MOVING_TO_START")
    tab.wait("proxops.desk.status?.moving_unit === 'robot1'")
    tab.wait_mode("AT_START", 60.0)
    assert tab.ask("() => document.querySelector('.machine').dataset.mode") == "AT_START"
    tab.press("confirm")
    tab.wait_mode("RUNNING")
    tab.page.click("#safe-stop")
    tab.wait_mode("STOPPED")
    tab.wait("document.querySelector('.banner').textContent.includes('OPERATOR')")
    tab.wait("document.querySelector('tr[data-name=\"stop.operator\"]')")
    tab.press("reset")
    tab.wait_mode("READY")

    jog_by_mouse(tab, served)
    open_a_door(tab, served)
    replay(tab, served)
    assert tab.errors == []


def jog_by_mouse(tab: Tab, served: Served) -> None:
    tab.open("mcu")
    tab.press("select manual")
    tab.wait_mode("MANUAL")
    point_at(tab, PLUS)
    hold_until_it_moves(served, tab.page.mouse.down, tab.page.mouse.up, 0.002)
    tab.page.mouse.up()
    released = time.time_ns()
    wait_until(lambda: stands(served), 5.0, "robot 1 stands")
    assert served.moved_until_ms(released) <= STANDS_MS
    after = served.ask("status")["setpoint"]["robot1_a1"]
    time.sleep(0.3)
    assert served.ask("status")["setpoint"]["robot1_a1"] == after
    tab.open("rvd")
    tab.wait("proxops.hall", 30.0)
    tab.wait(f"Math.abs(proxops.hall.axesShown('actual')[1] - ({after})) < 1e-4")  # the scene shows it


def open_a_door(tab: Tab, served: Served) -> None:
    tab.open("security")
    door = 'button[data-input="door_main"]'
    tab.page.click(door)
    tab.wait("proxops.desk.openInterlocks().includes('door_main')")
    tab.wait_mode("STOPPED")  # manual control with a door open
    tab.wait("document.querySelector('section.page.security').innerText.includes('door')")
    assert "DOOR" in served.ask("status")["stop"]["rule"]
    tab.page.click(door)
    tab.wait("!proxops.desk.openInterlocks().includes('door_main')")
    tab.open("command")
    tab.press("reset")
    tab.wait_mode("READY")


def replay(tab: Tab, served: Served) -> None:
    """The run that is being recorded, up to now."""
    tab.open("logs")
    tab.page.click(f'.log-runs button:has-text("{served.folder.name}")')
    tab.wait("document.querySelector('section.page.logs .uplot')", 60.0)
    tab.wait("window.proxops.replay?.axes()?.length === 13", 60.0)
    tab.page.click('section.page.logs button:has-text("Play")')
    start = tab.ask("() => proxops.replay.t")
    tab.wait(f"proxops.replay.t > {start} + 0.2", 30.0)


# ---------------------------------------------------------------------- keyboard
def test_the_keyboard_stops_the_hall_from_any_page_and_field(served: Served, open_tab: OpenTab) -> None:
    tab = open_tab(plain(served))
    for page, field in (("fmc", None), ("command", "#order"), ("logs", None)):
        tab.open(page)
        if field:
            tab.page.focus(field)
        tab.page.keyboard.press("Escape")
        served.wait_mode("STOPPED")
        served.ask("reset")
        served.wait_mode("READY")


def test_jog_by_keyboard_ends_with_the_key(served: Served, open_tab: OpenTab) -> None:
    tab = open_tab(plain(served))
    tab.take_control()
    tab.open("mcu")
    tab.press("select manual")
    tab.wait_mode("MANUAL")
    tab.page.focus(PLUS)
    keys = tab.page.keyboard
    hold_until_it_moves(served, lambda: keys.down("Space"), lambda: keys.up("Space"), 0.001)
    keys.up("Space")
    wait_until(lambda: stands(served), 5.0, "robot 1 stands")


def test_jog_by_touch(served: Served, open_tab: OpenTab) -> None:
    tab = open_tab(plain(served), has_touch=True)
    tab.take_control()
    tab.open("mcu")
    tab.press("select manual")
    tab.wait_mode("MANUAL")
    box = tab.page.locator(PLUS).bounding_box()
    assert box is not None
    touch = tab.page.context.new_cdp_session(tab.page)
    point = {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}

    def send(kind: str, points: list[dict[str, float]]) -> None:
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    hold_until_it_moves(served, lambda: send("touchStart", [point]), lambda: send("touchEnd", []), 0.001)
    send("touchEnd", [])
    wait_until(lambda: stands(served), 5.0, "robot 1 stands")


# ---------------------------------------------------------------------- two operators
def test_two_operators(served: Served, open_tab: OpenTab) -> None:
    anna, ben = open_tab(plain(served)), open_tab(plain(served))
    anna.take_control()
    ben.wait("proxops.desk.control.holder && !proxops.desk.holding")
    holder = anna.ask("() => proxops.desk.control.holder.name")
    ben.wait("document.querySelector('#holder').textContent !== 'nobody'")  # written after the state is known
    assert ben.page.inner_text("#holder") == holder
    refused = ben.page.locator('button[data-request="select manual"]')
    wait_until(lambda: "holds control" in (refused.get_attribute("title") or ""), 5.0, "the reason")
    refused.click(force=True)
    time.sleep(0.3)
    assert served.ask("status")["mode"] == "READY"  # nothing happened but a notice
    ben.page.click("#take")
    assert not ben.ask("() => proxops.desk.holding")  # one click is not enough to take over
    ben.page.click("#take")
    ben.wait("proxops.desk.holding")
    anna.wait("!proxops.desk.holding && document.querySelector('.notices').textContent.includes('taken control over')")
    ben.press("select manual")
    anna.wait_mode("MANUAL")  # who watches sees it
    anna.page.click("#safe-stop")  # and may stop it
    ben.wait_mode("STOPPED")
    ben.page.click("#take")
    anna.wait("proxops.desk.control.holder === null")


# ---------------------------------------------------------------------- lost connections
def test_a_server_that_hangs_is_seen_and_gets_no_old_clicks(served: Served, open_tab: OpenTab) -> None:
    """The console's process is stopped: data greys out, clicks are not carried out later."""
    tab = open_tab(plain(served))
    tab.take_control()
    tab.wait_mode("READY")
    pid = served.console_pid()
    os.kill(pid, signal.SIGSTOP)
    try:
        tab.wait("document.body.classList.contains('stale')", 5.0)
        tab.page.click('button[data-request="select manual"]')
        time.sleep(2.0)  # longer than the click's time to live
    finally:
        os.kill(pid, signal.SIGCONT)
    tab.wait("!document.body.classList.contains('stale')", 20.0)
    time.sleep(0.5)
    assert served.ask("status")["mode"] == "READY"


def test_a_facility_that_hangs_is_seen(served: Served, open_tab: OpenTab) -> None:
    """Its cycles do not come: the server is well, but what it shows grows old, and says so."""
    tab = open_tab(plain(served))
    tab.wait("!document.body.classList.contains('stale')")
    served.process.send_signal(signal.SIGSTOP)
    try:
        tab.wait(
            "document.body.classList.contains('stale') && document.querySelector('.banner').textContent.includes('SILENCE')",
            5.0,
        )
        age = tab.ask("() => proxops.desk.ageMs()")
        tab.wait(f"proxops.desk.ageMs() > {age + 400}", 5.0)  # and it says how old
    finally:
        served.process.send_signal(signal.SIGCONT)
    tab.wait("!document.body.classList.contains('stale')", 10.0)


def test_a_line_that_is_cut_while_jogging(served: Served, open_tab: OpenTab) -> None:
    """The network goes away without a word: robots stand; a click meanwhile is refused, never kept; the page comes back."""
    with CutLine(served.port) as line:
        tab = open_tab(f"http://127.0.0.1:{line.port}/?plan")
        tab.take_control()
        tab.open("mcu")
        tab.press("select manual")
        tab.wait_mode("MANUAL")
        point_at(tab, MINUS)
        hold_until_it_moves(served, tab.page.mouse.down, tab.page.mouse.up, -0.001)
        line.freeze()
        frozen = time.time_ns()
        wait_until(lambda: stands(served), 5.0, "robot 1 stands")
        assert served.moved_until_ms(frozen) <= STANDS_MS
        at = served.ask("status")["setpoint"]["robot1_a1"]
        tab.wait("document.body.classList.contains('stale')", 5.0)
        tab.page.mouse.up()
        tab.open("command")
        tab.page.click('button[data-request="select none"]')
        line.cut()
        tab.wait("!proxops.desk.connected", 10.0)
        tab.wait("document.querySelector('.banner').textContent.includes('NO CONNECTION')")
        tab.page.click("#safe-stop")
        tab.wait(
            "[...document.querySelectorAll('.notice')].some(n => n.textContent.includes('SAFE STOP NOT CONFIRMED'))"
        )
        line.mend()
        tab.wait("proxops.desk.connected", 20.0)
        tab.wait("!document.body.classList.contains('stale')", 10.0)
        time.sleep(0.5)
        assert served.ask("status")["mode"] == "MANUAL"  # neither the deselection nor the stop came later
        assert served.ask("status")["setpoint"]["robot1_a1"] == at
        assert tab.ask("() => proxops.desk.control.holder") is None  # control is not kept for who went away


def test_a_closed_tab_lets_go(served: Served, open_tab: OpenTab) -> None:
    tab, watcher = open_tab(plain(served)), open_tab(plain(served))
    tab.take_control()
    tab.open("mcu")
    tab.press("select manual")
    tab.wait_mode("MANUAL")
    tab.page.focus(PLUS)
    keys = tab.page.keyboard
    hold_until_it_moves(served, lambda: keys.down("Space"), lambda: keys.up("Space"), 0.001)
    tab.page.close()
    closed = time.time_ns()
    wait_until(lambda: stands(served), 5.0, "robot 1 stands")
    assert served.moved_until_ms(closed) <= STANDS_MS
    watcher.wait("proxops.desk.control.holder === null")


# ---------------------------------------------------------------------- scenarios
def test_a_scenario_runs_pauses_and_ends(served: Served, open_tab: OpenTab) -> None:
    tab = open_tab(plain(served))
    tab.take_control()
    tab.page.select_option("#scenario", "hold")  # at 5 m: the robots need not go far to join
    tab.press("run_start")
    tab.wait("proxops.desk.run?.phase === 'running'", 60.0)
    tab.wait_mode("BRIDGED")
    tab.wait("proxops.desk.run.share > 0.01", 30.0)
    tab.press("run_pause")
    tab.wait("proxops.desk.run.phase === 'paused'")
    time.sleep(0.6)
    paused = tab.ask("() => proxops.desk.run.t_s")
    time.sleep(0.6)
    assert tab.ask("() => proxops.desk.run.t_s") == paused
    tab.press("run_resume")
    tab.wait(f"proxops.desk.run.t_s > {paused}", 20.0)
    # A stop takes the hall from it: its time stands, and nothing moves until somebody says so.
    tab.page.keyboard.press("Escape")
    tab.wait_mode("STOPPED")
    tab.wait("proxops.desk.run.phase === 'paused' && proxops.desk.run.message.includes('lost the hall')")
    time.sleep(0.6)  # "paused" is told when it is asked for; the run itself may take a step until it stands
    stopped = tab.ask("() => proxops.desk.run.t_s")
    tab.press("reset")
    tab.wait_mode("READY")
    time.sleep(0.6)
    assert tab.ask("() => proxops.desk.run.t_s") == stopped and tab.ask("() => proxops.desk.mode") == "READY"
    tab.press("run_resume")
    tab.wait_mode("BRIDGED")
    tab.wait(f"proxops.desk.run.t_s > {stopped}", 20.0)
    tab.press("run_end")
    tab.wait("proxops.desk.run.phase === 'ended'", 20.0)
    tab.wait_mode("READY", 30.0)
    assert tab.errors == []


# ---------------------------------------------------------------------- what sensors see
def seen(writer: EyeWriter, number: int) -> None:
    """Known values: a dark picture with a white corner, twelve bits, a plane with a hole, a wall of points."""
    near = np.full((480, 640), 40, np.uint8)
    near[:96, :100], near[50, 300], near[0, 639] = 255, 200, number  # never the same bytes
    deep = np.full((48, 64), 3000 + number, np.uint16)
    plane = np.full((200, 200), 4.25, np.float32)
    plane[100:, :] = 5.75
    plane[10, 20] = np.nan
    wall = (
        np.stack(np.meshgrid(np.linspace(-1, 1, 25), np.linspace(-1, 1, 20), [6.0]), axis=-1)
        .reshape(-1, 3)
        .astype("f4")
    )
    t = writer.t
    pictures = picture(number, t, near), picture(number, t, deep, "deep", 4095)
    writer.push(*pictures, depth(number, t, plane), scan(number, t, wall))


def test_what_sensors_see_is_shown(served: Served, open_tab: OpenTab, tmp_path: Path) -> None:
    writer = EyeWriter()
    try:
        with console_beside(served, writer.about, tmp_path) as address:
            tab = open_tab(address + "?plan")
            tab.open("sensors")
            tab.wait("document.querySelectorAll('.sensor-empty:not([hidden])').length === 4")  # no image yet
            seen(writer, 41)
            for name in ("near", "deep", "tof", "scan"):
                tab.wait(f"proxops.sensors.of('{name}')?.number === 41")
            pictures_are_right(tab)
            ages_are_told(tab, writer)
            marks_are_drawn_over_their_own_picture(tab, writer)
            an_operator_points(tab)
            one_stands_beside_the_hall(tab, writer)
            writer.close()
            tab.open("sensors")
            tab.wait("document.querySelector('.sensor-trouble')?.innerText.includes('the sensors have ended')")
            assert tab.errors == []
    finally:
        writer.close()


def pictures_are_right(tab: Tab) -> None:
    """Values as they were measured, and colours on the canvas; the fullest bin; points in the picture."""
    look = "(name) => { const s = proxops.sensors.of(name); return [s.peak, s.saturated, s.points, s.limits]; }"
    at = "([name, x, y]) => { const s = proxops.sensors.of(name); return [s.value(x, y), s.pixel(x, y)]; }"
    tab.wait("proxops.sensors.of('near').peak > 0 && proxops.sensors.of('scan').points > 0")
    near, deep, tof, lidar = (tab.ask(look, name) for name in ("near", "deep", "tof", "scan"))
    assert near[:2] == [pytest.approx(40.5), pytest.approx(100 * 96 / (640 * 480))]
    assert deep[0] == pytest.approx(3041, abs=8) and deep[1] == 0
    assert (
        tof[0] in (pytest.approx(4.25, abs=0.03), pytest.approx(5.75, abs=0.03))
        and tof[3][0] <= 4.25 < 5.75 <= tof[3][1]
    )
    assert lidar[2] == 500
    assert tab.ask(at, ["near", 300, 50]) == [200, [200, 200, 200, 255]]
    assert tab.ask(at, ["deep", 5, 5]) == [3041, [189, 189, 189, 255]]  # of 4095
    near_colour, far_colour = (tab.ask(at, ["tof", 50, y])[1] for y in (50, 150))
    assert near_colour[0] > near_colour[2] and far_colour[2] > far_colour[0]  # warm and cold
    assert max(tab.ask(at, ["tof", 20, 10])[1][:3]) < 40  # nothing came back
    facts = tab.page.inner_text('[data-sensor="near"] .sensor-facts')
    assert all(word in facts for word in ("41", "12.0 ms", "6.0 dB", "3.13 %"))
    tab.page.focus('[data-sensor="near"] canvas.sensor-canvas')
    tab.page.keyboard.press("ArrowRight")
    tab.wait("document.querySelector('[data-sensor=near] .sensor-pixel').textContent.includes('x 321  y 240:  40')")
    before = tab.ask("() => document.querySelector('[data-sensor=scan] canvas').toDataURL()")
    tab.page.focus('[data-sensor="scan"] canvas.sensor-canvas')
    tab.page.keyboard.press("ArrowLeft")
    tab.wait(f"document.querySelector('[data-sensor=scan] canvas').toDataURL() !== '{before}'")
    assert not tab.ask(
        "() => document.documentElement.scrollHeight > innerHeight || document.documentElement.scrollWidth > innerWidth"
    )


def ages_are_told(tab: Tab, writer: EyeWriter) -> None:
    """In words, from the exposure on; the same bytes again and again are called so."""
    said = "document.querySelector('[data-sensor=\"near\"] h2').innerText"
    tab.wait(f"{said}.includes('old, no newer one')")
    t = writer.t
    exposed = time.monotonic()
    for number in range(42, 46):
        writer.push(picture(number, t, np.zeros((480, 640), np.uint8)))
        tab.wait(f"proxops.sensors.of('near').number === {number}")
    assert 0.0 <= tab.ask("() => proxops.sensors.of('near').ageMs") * 1e-3 <= time.monotonic() - exposed + 0.25
    tab.wait(f"{said}.includes('frozen: the same to the bit, 4 times') || {said}.includes('no newer one')")
    assert tab.ask("() => proxops.sensors.of('near').same") == 3


def marks_are_drawn_over_their_own_picture(tab: Tab, writer: EyeWriter) -> None:
    """A newer picture that nobody has answered yet waits for its marks; what image processing says stands beside it."""
    t = writer.t
    for number in (50, 51):
        writer.log.due("near", t + number - 50)
        writer.push(picture(number, t + number - 50, np.full((480, 640), number, np.uint8)))
        tab.wait(f"proxops.sensors.of('near')?.number === {number}")
    marks = Marks(
        np.array([[320.0, 240.0], [10.0, 20.0]], np.float32), np.array([1, 0], np.uint8), np.zeros((0, 4), np.float32)
    )
    found = PoseFound(
        "near", 50, t, Doubt.SUPPORT, 0.0, np.array([0.0, 0.0, 5.0, 1.0, 0.0, 0.0, 0.0]), np.eye(6) * 1e-4, marks
    )
    writer.say(found, VisionState.LOST)
    tab.wait("proxops.sensors.of('near')?.number === 50 && proxops.sensors.of('near').marks === 2")
    tab.wait("document.querySelector('[data-sensor=near] .vision-state').textContent === 'LOST'")
    said = tab.page.inner_text('[data-sensor="near"] .sensor-vision')
    assert all(
        word in said for word in ("too many of what was found do not fit", "5.000 m", "10 mm, 0.57°", "none yet")
    )
    wall = np.array([[-1.0, -1.0, 6.0], [1.0, 1.0, 6.0], [0.0, 0.0, 6.0]], np.float32)  # of the scan before
    marks = Marks(wall, np.array([1, 0, 2], np.uint8), np.zeros((0, 4), np.float32))
    writer.log.due("scan", t)
    writer.push(scan(52, t, wall))
    writer.say(PoseFound("scan", 52, t, Doubt.NONE, 0.5, marks=marks), VisionState.TRACK)
    tab.wait("proxops.sensors.of('scan').number === 52 && proxops.sensors.of('scan').marks === 3")
    tab.page.click('[data-sensor="near"] button:has-text("Marks")')
    tab.wait("proxops.sensors.of('near').number === 51 && proxops.sensors.of('near').marks === 0")


def an_operator_points(tab: Tab) -> None:
    """Only with control; where the pointer was pressed, as far as it was drawn, in pixels of the picture that was shown."""
    button = '[data-sensor="near"] button:has-text("Designate")'
    assert tab.page.get_attribute(button, "aria-disabled") == "true"
    tab.take_control()
    tab.wait("document.querySelectorAll('[data-sensor=near] button[aria-disabled=false]').length")
    tab.ask("() => { proxops.desk.ask = (...said) => { window.said = said; return Promise.resolve({ ok: true }); }; }")
    tab.page.click(button)
    box = tab.page.locator('[data-sensor="near"] canvas.sensor-canvas').bounding_box()
    x, y = box["x"] + 0.5 * box["width"], box["y"] + 0.5 * box["height"]
    scale = min(box["width"] / 640, box["height"] / 480)
    tab.page.mouse.move(x, y)
    tab.page.mouse.down()
    tab.page.mouse.move(x + 50 * scale, y)
    tab.page.mouse.up()
    verb, word = tab.ask("() => window.said")
    assert (verb, word["sensor"], word["number"]) == ("designate", "near", 51)
    assert [word[key] for key in ("right_px", "down_px", "radius_px")] == pytest.approx([319.5, 239.5, 50.0], abs=2.0)
    assert tab.page.get_attribute(button, "aria-pressed") == "false"  # one word at a time
    tab.page.click(button)
    tab.page.focus('[data-sensor="near"] canvas.sensor-canvas')
    for key in ("ArrowRight", "Enter"):
        tab.page.keyboard.press(key)
    assert tab.ask("() => window.said")[1] == {
        **word,
        "right_px": 321,
        "down_px": 240,
        "radius_px": pytest.approx(38.4),
    }
    tab.ask("() => { delete proxops.desk.ask; }")
    tab.page.click("#take")


def one_stands_beside_the_hall(tab: Tab, writer: EyeWriter) -> None:
    """Of the chosen sensor alone anything is sent; folded away, nothing."""
    tab.open("rvd")
    tab.page.select_option(".eye select", "deep")
    seen(writer, 46)
    tab.wait("proxops.desk.sight.sensor === 'deep' && proxops.desk.sight.number === 46")
    tab.wait("document.querySelector('.eye').innerText.includes('46')")
    tab.page.click('.eye button:has-text("Hide")')
    time.sleep(0.2)
    seen(writer, 47)
    time.sleep(0.5)
    assert tab.ask("() => [proxops.desk.sight.sensor, proxops.desk.sight.number]") == ["deep", 46]
