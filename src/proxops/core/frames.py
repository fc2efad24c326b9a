"""The frames of hall and orbit, named once. A pose names both, reference first: ``T_lab_port1``. Drawn in docs/frames.md."""

from __future__ import annotations

from typing import Final

FRAMES: Final[dict[str, str]] = {
    "lab": "Global / Lab Coordinate System: z up, origin 1.5 m above the KR 240-2's mounting face",
    "base1": "mounting face of robot 1 (KR 100 HA), carried by the rail; x towards robot 2",
    "base2": "mounting face of robot 2 (KR 240-2), beside the rail; x towards robot 1",
    "flange1": "adapter plate of robot 1 (the paper's Tool Coordinate System); z out of the plate",
    "flange2": "adapter plate of robot 2; z out of the plate",
    "port1": "spacecraft frame on robot 1 (the paper's User Tool), fixed to flange1",
    "port2": "spacecraft frame on robot 2, fixed to flange2",
    "pov": "point of view: the frame in which a CLW command gives both spacecraft",
    "chaser": "the spacecraft that approaches; in the hall it is port1",
    "target": "the spacecraft that is approached; in the hall it is port2",
    "rig": "between the wrists: x from wrist centre 2 to wrist centre 1, y a reference that is carried along on the chaser",
    "client": "whatever frame a client of the bridge gives both spacecraft in; the bridge never learns which",
    "eci": "Earth-centred inertial: a client's frame, 7000 km from both spacecraft",
    "lvlh": "local vertical, local horizontal at the target: x along the flight, z to the Earth; turns with the orbit",
}
