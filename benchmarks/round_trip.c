/* Sends a packet every 4 ms and asks in which status it is first answered: round_trip PORT PACKETS */
#include "proxops_bridge.h"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static int by_size(const void *a, const void *b) {
    const double d = *(const double *)a - *(const double *)b;
    return (d > 0) - (d < 0);
}

int main(int argc, char **argv) {
    const double chaser[7] = {5, 0, 0, 0, 0, 0, 1}, target[7] = {0, 0, 0, 0, 0, 0, 1};
    const long packets = argc > 2 ? atol(argv[2]) : 1000, settle = 500;
    long same = 0, next = 0, later = 0, kept = 0;
    double *times = calloc((size_t)packets, sizeof *times);
    struct timespec due;
    pxb_client hall;
    if (!times || argc < 2 || pxb_open(&hall, "127.0.0.1", (uint16_t)atoi(argv[1])) != 0) return 2;
    clock_gettime(CLOCK_MONOTONIC, &due);
    for (long k = 0; k < packets + settle; k++) {
        const double sent = now_ms();
        long statuses = 0;
        while (pxb_receive(&hall, 0)) continue; /* what came before is no answer */
        pxb_send(&hall, (int64_t)(sent * 1e6), chaser, target, NULL, NULL, NULL);
        const uint64_t number = hall.sequence;
        while (now_ms() - sent < 40.0) {
            if (!pxb_receive(&hall, 5)) continue;
            statuses++;
            if (hall.status.sequence >= number && hall.status.taken > 0) break;
        }
        if (k >= settle) {
            times[kept++] = now_ms() - sent;
            if (statuses <= 1) same++;
            else if (statuses == 2) next++;
            else later++;
        }
        if ((due.tv_nsec += 4000000) >= 1000000000) due.tv_nsec -= 1000000000, due.tv_sec++;
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, NULL);
    }
    qsort(times, (size_t)kept, sizeof *times, by_size);
    printf("same_cycle %.4f\nnext_cycle %.4f\nlater %.4f\n", (double)same / (double)kept, (double)next / (double)kept,
           (double)later / (double)kept);
    printf("median_ms %.3f\np99_ms %.3f\n", times[kept / 2], times[kept * 99 / 100]);
    pxb_close(&hall);
    free(times);
    return 0;
}
