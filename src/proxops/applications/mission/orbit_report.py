"""What ``proxops orbit`` says on a terminal, from the table that it also gives as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

Table = dict[str, Any]


def print_orbit(about: Table, console: Console) -> None:
    """Headline, the orbit, the drift, files."""
    console.print(f"[bold]{about['name']}[/]  {about['kind']} orbit from {about['epoch_utc']}", highlight=False)
    width = max(len(name) for name, _ in orbit_rows(about))
    for name, text in orbit_rows(about):
        console.print(f"  {name:<{width}}  {text}", highlight=False, markup=False)
    _print_drift(about, console)
    if about["files"]:
        console.print(", ".join(about["files"]), highlight=False, markup=False)


def orbit_rows(about: Table) -> list[tuple[str, str]]:
    """(what, how much) of the orbit, in the units people use."""
    e = about["elements"]
    altitudes = about["altitude_km"]
    return [
        ("semi-major axis", f"{e['semi_major_axis_km']:.3f} km ({e['meaning']})"),
        ("eccentricity", f"{e['eccentricity']:.7f}"),
        ("inclination", f"{e['inclination_deg']:.4f}°"),
        ("ascending node", f"{e['node_deg']:.4f}°, drifting {about['node_drift_deg_day']:+.4f}° a day"),
        ("argument of perigee", f"{e['perigee_deg']:.4f}°, drifting {about['perigee_drift_deg_day']:+.4f}° a day"),
        ("true anomaly", f"{e['anomaly_deg']:.4f}°"),
        ("period", f"{about['period_s']:.2f} s ({about['period_s'] / 60.0:.2f} min)"),
        ("altitude", f"{altitudes[0]:.1f} … {altitudes[1]:.1f} km over the equator's radius"),
        ("sun", f"{about['beta_deg']:+.1f}° from the plane (beta), {100.0 * about['eclipse_share']:.1f} % in shadow"),
    ]


def _print_drift(about: Table, console: Console) -> None:
    from rich.table import Table as Grid

    start = ", ".join(f"{value:g}" for value in about["start"]["position_m"])
    speed = ", ".join(f"{value:g}" for value in about["start"]["velocity_m_s"])
    console.print(f"\nfree drift from ({start}) m with ({speed}) m/s in lvlh", highlight=False)
    console.print(f"exact: {about['gravity']}; CW and elliptic: linear, about a point mass", highlight=False)
    grid = Grid(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for name in ("turns", "x, m", "y, m", "z, m", "distance, m", "CW off, m", "elliptic off, m"):
        grid.add_column(name, justify="right")
    for row in about["drift"]:
        cells = [f"{value:.3f}" for value in (*row["position_m"], row["distance_m"])]
        grid.add_row(f"{row['revolutions']:g}", *cells, f"{row['cw_error_m']:.2e}", f"{row['elliptic_error_m']:.2e}")
    console.print(grid, highlight=False)
    if not about["drift"]:
        console.print("  the path ends before a quarter of a revolution", highlight=False)
