/* Drives proxops_bridge.h for a test, word by word from standard input; doubles travel as their 64 bits in hexadecimal.
 *   send sequence sent_ns velocities(0/1) sun(0/1) followed by 29 doubles
 *   receive milliseconds        prints the client's counters and every field of the newest status
 *   names                       prints every word the header knows
 *   key hex                     the client uses this key; prints what pxb_use_key gives and the session
 *   hmac hex hex                prints the code of the second under the first ("-": empty) */
#include "proxops_bridge.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static void print_doubles(const double *values, int count) {
    for (int i = 0; i < count; i++) {
        uint64_t raw;
        memcpy(&raw, &values[i], 8);
        printf(" %016" PRIx64, raw);
    }
}

static int run_send(pxb_client *client) {
    uint64_t sequence, raw;
    int64_t sent_ns;
    int velocities, sun;
    double v[29];
    if (scanf("%" SCNu64 " %" SCNd64 " %d %d", &sequence, &sent_ns, &velocities, &sun) != 4) return 1;
    for (int i = 0; i < 29; i++) {
        if (scanf("%" SCNx64, &raw) != 1) return 1;
        memcpy(&v[i], &raw, 8);
    }
    client->sequence = sequence - 1;
    printf("%d\n", pxb_send(client, sent_ns, v, v + 7, velocities & 1 ? v + 14 : NULL, velocities & 2 ? v + 20 : NULL,
                            sun ? v + 26 : NULL));
    return 0;
}

static int run_receive(pxb_client *client) {
    int wait_ms;
    if (scanf("%d", &wait_ms) != 1) return 1;
    const int fresh = pxb_receive(client, wait_ms);
    const pxb_status *s = &client->status;
    printf("%d %" PRIu64 " %" PRIu64 " %d %d %d %d %d %d %d %d %d %d %d %d %d", fresh, client->heard, client->ignored,
           s->flags, s->phase, s->input_state, s->commanded_zone, s->actual_zone, s->cause, s->mode, s->rule, s->refusal,
           s->converged, s->moving, s->master, s->velocities_used);
    printf(" %" PRIu64 " %" PRId64 " %" PRId64 " %" PRIu64, s->sequence, s->sent_ns, s->utc_ns, s->tick);
    print_doubles(&s->left_m, 1);
    print_doubles(&s->left_rad, 1);
    print_doubles(&s->left_s, 1);
    print_doubles(&s->commanded_clearance_m, 1);
    print_doubles(&s->actual_clearance_m, 1);
    print_doubles(&s->yellow_m, 1);
    print_doubles(s->chaser, 7);
    print_doubles(s->target, 7);
    printf(" %" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu32 "\n", s->taken, s->lost,
           s->extrapolated, s->stale, s->refused, s->doubled);
    return 0;
}

#define PRINT_WORD(family, word, number)                                                                               \
    printf("%s.%s=%d ", #family, PRINT_NAME(number), (int)PXB_##family##_##word);

static void run_names(void) {
#define PRINT_NAME pxb_phase_name
    PXB_PHASES(PRINT_WORD)
#undef PRINT_NAME
#define PRINT_NAME pxb_input_state_name
    PXB_INPUT_STATES(PRINT_WORD)
#undef PRINT_NAME
#define PRINT_NAME pxb_zone_name
    PXB_ZONES(PRINT_WORD)
#undef PRINT_NAME
#define PRINT_NAME pxb_cause_name
    PXB_CAUSES(PRINT_WORD)
#undef PRINT_NAME
#define PRINT_NAME pxb_mode_name
    PXB_MODES(PRINT_WORD)
#undef PRINT_NAME
#define PRINT_NAME pxb_refusal_name
    PXB_REFUSALS(PRINT_WORD)
    printf("%s\n", pxb_phase_name(200));
}

static size_t read_bytes(uint8_t *out, size_t most) {
    static char text[16384];
    unsigned byte;
    size_t size = 0;
    if (scanf("%16383s", text) != 1 || text[0] == '-') return 0;
    while (size < most && sscanf(text + 2 * size, "%2x", &byte) == 1) out[size++] = (uint8_t)byte;
    return size;
}

static void run_key(pxb_client *client) {
    static uint8_t key[4096];
    const int done = pxb_use_key(client, key, read_bytes(key, sizeof key));
    printf("%d %" PRIu64 "\n", done, client->session);
}

static void run_hmac(void) {
    static uint8_t key[4096], data[8192], code[32];
    const size_t key_size = read_bytes(key, sizeof key), size = read_bytes(data, sizeof data);
    pxb_hmac_sha256(key, key_size, data, size, code);
    for (int i = 0; i < 32; i++) printf("%02x", code[i]);
    printf("\n");
}

int main(int argc, char **argv) {
    char word[16];
    int wrong = 0;
    pxb_client client;
    if (argc != 3 || pxb_open(&client, argv[1], (uint16_t)atoi(argv[2])) != 0) {
        perror("pxb_open");
        return 2;
    }
    while (!wrong && scanf("%15s", word) == 1) {
        if (strcmp(word, "send") == 0) wrong = run_send(&client);
        else if (strcmp(word, "receive") == 0) wrong = run_receive(&client);
        else if (strcmp(word, "names") == 0) run_names();
        else if (strcmp(word, "key") == 0) run_key(&client);
        else if (strcmp(word, "hmac") == 0) run_hmac();
        else wrong = 1;
        fflush(stdout);
    }
    pxb_close(&client);
    return wrong;
}
