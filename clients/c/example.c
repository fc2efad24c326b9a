/* A chaser waits at 20 m until the hall follows, then comes at 5 cm/s to 5 m, in a frame like ECI: example [seconds] [port] */
#define _POSIX_C_SOURCE 200809L
#include "proxops_bridge.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

int main(int argc, char **argv) {
    const double radius_m = 7.0e6, orbit_rad_s = 1.078e-3, cycles = 250 * (argc > 1 ? atof(argv[1]) : 360.0);
    double distance_m = 20.0;
    struct timespec now; /* of the cycle, by our own clock */
    pxb_client hall;
    if (pxb_open(&hall, "127.0.0.1", argc > 2 ? (uint16_t)atoi(argv[2]) : PXB_PORT) != 0) return perror("pxb_open"), 2;
    clock_gettime(CLOCK_MONOTONIC, &now);
    for (long k = 0; k < cycles && (k < 250 || hall.heard); k++) {
        const double yaw = orbit_rad_s * 0.004 * (double)k, c = cos(yaw), s = sin(yaw); /* x of both along the velocity */
        const double target[7] = {radius_m * s, -radius_m * c, 0, 0, 0, sin(yaw / 2), cos(yaw / 2)};
        const double chaser[7] = {target[0] + distance_m * c, target[1] + distance_m * s, 0, 0, 0, target[5], target[6]};
        pxb_send(&hall, now.tv_sec * INT64_C(1000000000) + now.tv_nsec, chaser, target, NULL, NULL, NULL);
        if ((pxb_receive(&hall, 0) || hall.heard) && k % 250 == 0)
            printf("%7.3f m  %s  cause %s  %.4f m left\n", distance_m, pxb_phase_name(hall.status.phase),
                   pxb_cause_name(hall.status.cause), hall.status.left_m);
        if (distance_m > 5.0 && (hall.status.converged || distance_m < 20.0)) distance_m -= 0.05 * 0.004;
        if ((now.tv_nsec += 4000000) >= 1000000000) now.tv_nsec -= 1000000000, now.tv_sec++;
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &now, NULL);
    }
    if (!hall.heard) puts("no facility answers: start one with proxops serve --bridge");
    pxb_close(&hall);
}
