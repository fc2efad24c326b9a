"""An estimator on another computer: it is sent images over TCP and answers with poses. Nothing but Python and NumPy.

    python examples/pose_server.py 47270
    proxops pose FOLDER --model client --estimator tcp://127.0.0.1:47270
    [vision] estimator = "tcp://127.0.0.1:47270"                       in a mission's file

The bytes: docs/images_interface.md. This one finds the middle of what is bright in a picture (or near, in a scan) and takes range
and attitude from the prediction; yours does better. ``--once`` ends with the first client.
"""

import json
import socket
import struct
import sys

import numpy as np

HEAD = struct.Struct("<4sII")  # magic, version, bytes of JSON
IMAGE = struct.Struct("<4sHH20sQqqQdIIHHIIII")  # 96 bytes; then the pixels
CAMERA, TOF, LIDAR = 1, 2, 3


def exactly(line, count):
    data = bytearray()
    while len(data) < count:
        part = line.recv(count - len(data))
        if not part:
            raise EOFError
        data += part
    return bytes(data)


def question(line):
    """What is known of the image, and the image."""
    magic, version, size = HEAD.unpack(exactly(line, HEAD.size))
    assert magic == b"PXPQ" and version == 1
    known = json.loads(exactly(line, size))
    head = IMAGE.unpack(exactly(line, IMAGE.size))
    kind, width, height, bits, white, size = head[2], head[9], head[10], head[11], head[13], head[14]
    data = exactly(line, size)
    if kind == CAMERA:
        return known, np.frombuffer(data, "<u2" if bits == 16 else "u1").reshape(height, width) / white
    if kind == TOF:
        return known, np.frombuffer(data, "<f4", width * height).reshape(height, width)
    return known, np.frombuffer(data, "<f4").reshape(-1, 5)[:, :3]


def answer(known, image):
    """A pose x y z qw qx qy qz and its covariance, row by row: place (m), then a small rotation (rad); or a doubt."""
    expected = known["prediction"]
    if expected is None:
        return {"number": known["number"], "doubt": "NOT_FOUND"}
    T, covariance = np.array(expected["T_sensor_target"]), np.array(expected["covariance"])
    if known["gives"] == "camera":
        lens, bright = known["lens"], image > max(0.1, 0.3 * image.max())
        if not bright.any():
            return {"number": known["number"], "doubt": "DARK"}
        v, u = np.argwhere(bright).mean(axis=0)
        T[0], T[1] = T[2] * (u - lens["cx"]) / lens["fx"], T[2] * (v - lens["cy"]) / lens["fy"]
        covariance[:2], covariance[:, :2] = 0.0, 0.0
        covariance[0, 0] = covariance[1, 1] = (0.05 * T[2]) ** 2
    elif known["gives"] == "lidar":
        near = image[np.linalg.norm(image - T[:3], axis=1) < 2.0]
        if len(near) < 20:
            return {"number": known["number"], "doubt": "TOO_FEW"}
        T[:3] = np.median(near, axis=0)
        covariance[:3], covariance[:, :3] = 0.0, 0.0
        covariance[:3, :3] = 0.09 * np.eye(3)
    else:
        return {"number": known["number"], "doubt": "NOT_FOUND"}
    found = {"T_sensor_target": T.tolist(), "covariance": covariance.ravel().tolist()}
    return {"number": known["number"], "doubt": "NONE", "trust": 0.5, **found}


def serve(line):
    """Question after question, until the client has gone."""
    try:
        while True:
            body = json.dumps(answer(*question(line))).encode()
            line.sendall(HEAD.pack(b"PXPA", 1, len(body)) + body)
    except (EOFError, ConnectionError):
        pass


def main():
    words = [word for word in sys.argv[1:] if word != "--once"]
    with socket.create_server(("127.0.0.1", int(words[0]) if words else 47270)) as server:
        print(f"poses at 127.0.0.1:{server.getsockname()[1]}", flush=True)
        while True:
            line, _ = server.accept()
            with line:
                serve(line)
            if "--once" in sys.argv:
                return


if __name__ == "__main__":
    main()
