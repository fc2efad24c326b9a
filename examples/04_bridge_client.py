"""A chaser waits at 20 m until the hall follows, then comes at 5 cm/s to 5 m, in a frame like ECI. Needs a facility.

proxops serve --bridge, then: python examples/04_bridge_client.py [seconds] [port]
"""

import math
import sys
import time

from proxops import BridgeClient

RADIUS_M, ORBIT_RAD_S = 7.0e6, 1.078e-3
cycles = 250 * (float(sys.argv[1]) if len(sys.argv) > 1 else 360.0)
hall = BridgeClient(("127.0.0.1", int(sys.argv[2]) if len(sys.argv) > 2 else 47252))
distance_m, k, status, begin = 20.0, 0, None, time.monotonic()
while k < cycles and (k < 250 or status):
    yaw = ORBIT_RAD_S * 0.004 * k  # x of both along the velocity
    c, s, attitude = math.cos(yaw), math.sin(yaw), (0.0, 0.0, math.sin(yaw / 2), math.cos(yaw / 2))  # scalar last
    target = (RADIUS_M * s, -RADIUS_M * c, 0.0)
    hall.send((target[0] + distance_m * c, target[1] + distance_m * s, 0.0, *attitude), (*target, *attitude))
    status = hall.status()
    if status and k % 250 == 0:
        print(f"{distance_m:7.3f} m  {status.phase.name}  cause {status.cause.name}  {status.left_m:.4f} m left")
    if status and distance_m > 5.0 and (status.converged or distance_m < 20.0):
        distance_m -= 0.05 * 0.004
    k += 1
    time.sleep(max(0.0, begin + 0.004 * k - time.monotonic()))  # 250 Hz by our own clock
if not status:
    print("no facility answers: start one with proxops serve --bridge")
