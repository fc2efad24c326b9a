/* proxops_bridge.h: talk to the bridge of a proxops facility from C99 or C++, header only, POSIX sockets and nothing else.
 *
 * Every 4 ms send where your two spacecraft are, in any frame they share, and hear what the hall does about it:
 *
 *     pxb_client hall;
 *     if (pxb_open(&hall, "127.0.0.1", PXB_PORT) != 0) perror("pxb_open");
 *     pxb_send(&hall, now_ns, chaser, target, NULL, NULL, NULL);   // x y z in m, quaternion qx qy qz qw: SCALAR LAST
 *     if (pxb_receive(&hall, 0) > 0) puts(pxb_phase_name(hall.status.phase));
 *     pxb_close(&hall);
 *
 * Bytes are written one by one, so that the machine's byte order does not matter; double must be IEEE 754 binary64.
 * Byte layouts and meanings: docs/bridge_interface.md. The numbers below are checked against the facility's by a test.
 * Part of proxops, MIT licence. */
#ifndef PROXOPS_BRIDGE_H
#define PROXOPS_BRIDGE_H

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <float.h>
#include <netinet/in.h>
#include <poll.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#if DBL_MANT_DIG != 53 || DBL_MAX_EXP != 1024
#error "double is not IEEE 754 binary64 here: write the doubles of the datagrams in another way"
#endif

#define PXB_VERSION 1
#define PXB_PORT 47252

/* ---- numbers: X(family, word, number) ---- */

#define PXB_PHASES(X) /* what the bridge is doing */                                                                   \
    X(PHASE, IDLE, 0)       /* not selected */                                                                         \
    X(PHASE, WAITING, 1)    /* no client */                                                                            \
    X(PHASE, STANDING, 2)   /* a client sends, the hall may not move: the cause says why */                            \
    X(PHASE, SEARCHING, 3)  /* looks for a posture that can show the commanded pose */                                 \
    X(PHASE, JOINING, 4)    /* the axes move to that posture */                                                        \
    X(PHASE, CONVERGING, 5) /* the clutch closes */                                                                    \
    X(PHASE, FOLLOWING, 6)  /* converged: the hall shows what the client commands */                                   \
    X(PHASE, HALTING, 7)    /* braking */

#define PXB_INPUT_STATES(X) /* state of the input filter */                                                            \
    X(INPUT, EMPTY, 0)         /* nothing has come yet */                                                              \
    X(INPUT, DIRECT, 1)        /* packets go straight through */                                                       \
    X(INPUT, BUFFERED, 2)      /* one packet waits: each goes out one cycle after it came */                           \
    X(INPUT, EXTRAPOLATING, 3) /* packets are missing: cubic extrapolation */                                          \
    X(INPUT, DRY, 4)           /* more are missing than extrapolation may bridge */

#define PXB_ZONES(X) /* collision state of a pose */                                                                   \
    X(ZONE, GREEN, 0)                                                                                                  \
    X(ZONE, YELLOW, 1)                                                                                                 \
    X(ZONE, RED, 2)

#define PXB_CAUSES(X) /* why the bridge does not move the hall */                                                      \
    X(CAUSE, NONE, 0)                                                                                                  \
    X(CAUSE, NOT_SELECTED, 1) /* the operator has not selected the bridge, or the facility is stopped */               \
    X(CAUSE, NO_CLIENT, 2)    /* nobody has sent yet */                                                                \
    X(CAUSE, SILENCE, 3)      /* the client has stopped sending */                                                     \
    X(CAUSE, OUT_OF_REACH, 4) /* no posture of the robots shows the commanded pose */                                  \
    X(CAUSE, COMMANDED_YELLOW, 5)                                                                                      \
    X(CAUSE, COMMANDED_RED, 6)                                                                                         \
    X(CAUSE, ACTUAL_RED, 7)  /* only manual control leads out */                                                       \
    X(CAUSE, WAY_BLOCKED, 8) /* going on would end in red */                                                           \
    X(CAUSE, LIMIT, 9)       /* going on would break a rule of the guard: its number says which */                     \
    X(CAUSE, NO_POSTURE, 10) /* the search for a posture is under way or found none */                                 \
    X(CAUSE, NEW_CLIENT, 11) /* another client than before: the operator has not accepted it yet */                    \
    X(CAUSE, NOT_RECORDED, 12) /* the recorder is lost, hung, late or cannot write: no new motion begins */

#define PXB_MODES(X) /* what the facility is doing */                                                                  \
    X(MODE, STANDBY, 0)                                                                                                \
    X(MODE, READY, 1)                                                                                                  \
    X(MODE, MANUAL, 2)                                                                                                 \
    X(MODE, SINE, 3)                                                                                                   \
    X(MODE, ARMED, 4)                                                                                                  \
    X(MODE, MOVING_TO_START, 5)                                                                                        \
    X(MODE, AT_START, 6)                                                                                               \
    X(MODE, RUNNING, 7)                                                                                                \
    X(MODE, STOPPING, 8)                                                                                               \
    X(MODE, STOPPED, 9) /* latched until the operator resets */                                                        \
    X(MODE, RELEASING, 10)                                                                                             \
    X(MODE, ENDING, 11)                                                                                                \
    X(MODE, BRIDGED, 12) /* the bridge has the hall */                                                                 \
    X(MODE, HALTING, 13) /* the bridge brakes, not latched */

#define PXB_REFUSALS(X) /* why a datagram was not taken */                                                             \
    X(REFUSAL, NONE, 0)                                                                                                \
    X(REFUSAL, SIZE, 1)                                                                                                \
    X(REFUSAL, MAGIC, 2)                                                                                               \
    X(REFUSAL, VERSION, 3)                                                                                             \
    X(REFUSAL, CRC, 4)                                                                                                 \
    X(REFUSAL, MODE_WORD, 5)    /* synchronous interface only */                                                       \
    X(REFUSAL, OLD_SEQUENCE, 6) /* replayed, duplicated or overtaken on the way */                                     \
    X(REFUSAL, NOT_MASTER, 7)   /* another sender is master */                                                         \
    X(REFUSAL, NOT_FINITE, 8)   /* NaN or infinity */                                                                  \
    X(REFUSAL, NOT_UNIT, 9)     /* quaternion or direction to the sun not of length 1 */                               \
    X(REFUSAL, NOT_SELECTED, 10)                                                                                       \
    X(REFUSAL, SEQUENCE, 11) /* beyond 2^62 */                                                                         \
    X(REFUSAL, FLAGS, 12)    /* a bit that must be 0 is set */                                                         \
    X(REFUSAL, ABSURD, 13)   /* position, velocity or rate beyond anything that flies */                               \
    X(REFUSAL, TIME, 14)     /* time of sending beyond 2^62 ns */                                                      \
    X(REFUSAL, LEAP, 15)     /* sequence number more than 2^31 ahead of the newest one */                              \
    X(REFUSAL, KEY, 16)      /* no code where the facility has a key, or one where it has none */                      \
    X(REFUSAL, CODE, 17)     /* wrong code: another key, another port's, or damaged */                                 \
    X(REFUSAL, CHALLENGE, 18) /* of another start of the facility; pxb_receive takes the present one from the answer */

#define PXB_ENUMERATE(family, word, number) PXB_##family##_##word = number,
#define PXB_CASE(family, word, number)                                                                                 \
    case number:                                                                                                       \
        return #word;

enum pxb_phase { PXB_PHASES(PXB_ENUMERATE) }; /* PXB_PHASE_IDLE and so on */
enum pxb_input_state { PXB_INPUT_STATES(PXB_ENUMERATE) };
enum pxb_zone { PXB_ZONES(PXB_ENUMERATE) };
enum pxb_cause { PXB_CAUSES(PXB_ENUMERATE) };
enum pxb_mode { PXB_MODES(PXB_ENUMERATE) };
enum pxb_refusal { PXB_REFUSALS(PXB_ENUMERATE) };

/* "FOLLOWING" of 6; "?" of a number that this header does not know. */
static inline const char *pxb_phase_name(int number) { switch (number) { PXB_PHASES(PXB_CASE) default: return "?"; } }
static inline const char *pxb_input_state_name(int number) { switch (number) { PXB_INPUT_STATES(PXB_CASE) default: return "?"; } }
static inline const char *pxb_zone_name(int number) { switch (number) { PXB_ZONES(PXB_CASE) default: return "?"; } }
static inline const char *pxb_cause_name(int number) { switch (number) { PXB_CAUSES(PXB_CASE) default: return "?"; } }
static inline const char *pxb_mode_name(int number) { switch (number) { PXB_MODES(PXB_CASE) default: return "?"; } }
static inline const char *pxb_refusal_name(int number) { switch (number) { PXB_REFUSALS(PXB_CASE) default: return "?"; } }

/* ---- layouts: where each field starts, in bytes ---- */

#define PXB_COMMAND_SIZE 260
#define PXB_COMMAND_AT_MAGIC 0 /* "PXBC" */
#define PXB_COMMAND_AT_VERSION 4
#define PXB_COMMAND_AT_FLAGS 5
#define PXB_COMMAND_AT_RESERVED 6
#define PXB_COMMAND_AT_SEQUENCE 8
#define PXB_COMMAND_AT_SENT_NS 16
#define PXB_COMMAND_AT_CHASER 24
#define PXB_COMMAND_AT_TARGET 80
#define PXB_COMMAND_AT_CHASER_VELOCITY 136
#define PXB_COMMAND_AT_TARGET_VELOCITY 184
#define PXB_COMMAND_AT_SUN 232
#define PXB_COMMAND_AT_CRC 256

#define PXB_STATUS_SIZE 236
#define PXB_STATUS_AT_MAGIC 0 /* "PXBS" */
#define PXB_STATUS_AT_VERSION 4
#define PXB_STATUS_AT_FLAGS 5
#define PXB_STATUS_AT_PHASE 6
#define PXB_STATUS_AT_INPUT_STATE 7
#define PXB_STATUS_AT_COMMANDED_ZONE 8
#define PXB_STATUS_AT_ACTUAL_ZONE 9
#define PXB_STATUS_AT_CAUSE 10
#define PXB_STATUS_AT_MODE 11
#define PXB_STATUS_AT_RULE 12
#define PXB_STATUS_AT_REFUSAL 13
#define PXB_STATUS_AT_RESERVED 14
#define PXB_STATUS_AT_SEQUENCE 16
#define PXB_STATUS_AT_SENT_NS 24
#define PXB_STATUS_AT_UTC_NS 32
#define PXB_STATUS_AT_TICK 40
#define PXB_STATUS_AT_LEFT_M 48
#define PXB_STATUS_AT_LEFT_RAD 56
#define PXB_STATUS_AT_LEFT_S 64
#define PXB_STATUS_AT_COMMANDED_CLEARANCE_M 72
#define PXB_STATUS_AT_ACTUAL_CLEARANCE_M 80
#define PXB_STATUS_AT_YELLOW_M 88
#define PXB_STATUS_AT_CHASER 96
#define PXB_STATUS_AT_TARGET 152
#define PXB_STATUS_AT_TAKEN 208
#define PXB_STATUS_AT_LOST 212
#define PXB_STATUS_AT_EXTRAPOLATED 216
#define PXB_STATUS_AT_STALE 220
#define PXB_STATUS_AT_REFUSED 224
#define PXB_STATUS_AT_DOUBLED 228
#define PXB_STATUS_AT_CRC 232

#define PXB_TRAILER_SIZE 36 /* under a key, after a command and after a status */
#define PXB_TRAILER_AT_MAGIC 0 /* "PXKT" */
#define PXB_TRAILER_AT_SESSION 4
#define PXB_TRAILER_AT_CHALLENGE 12
#define PXB_TRAILER_AT_CODE 20
#define PXB_CODE_SIZE 16
#define PXB_CHALLENGE_SIZE 40 /* "PXKC", what answers a command whose challenge is not the present one */
#define PXB_CHALLENGE_AT_SESSION 8
#define PXB_CHALLENGE_AT_CHALLENGE 16

#define PXB_FLAG_VELOCITIES_VALID 1u /* flags of a command */
#define PXB_FLAG_SUN_VALID 2u
#define PXB_FLAG_CONVERGED 1u /* flags of a status */
#define PXB_FLAG_MOVING 2u
#define PXB_FLAG_MASTER 4u
#define PXB_FLAG_VELOCITIES_USED 8u

/* Where the two spacecraft are, in the client's frame; pointers that are NULL are not sent. */
typedef struct pxb_command {
    uint64_t sequence;             /* growing, at most 2^62 */
    int64_t sent_ns;               /* your own clock, any epoch, growing, -2^62 to 2^62 */
    const double *chaser;          /* 7: x y z m, qx qy qz qw */
    const double *target;          /* 7 */
    const double *chaser_velocity; /* 6: m/s, rad/s, components in the client's frame; both velocities or none */
    const double *target_velocity; /* 6 */
    const double *sun;             /* 3: unit vector towards the sun */
} pxb_command;

/* What the hall does; a number that has no value yet is NaN. */
typedef struct pxb_status {
    uint8_t flags, phase, input_state, commanded_zone, actual_zone, cause, mode, rule, refusal;
    int converged, moving, master, velocities_used; /* the flags, one by one */
    uint64_t sequence;                              /* newest command taken */
    int64_t sent_ns;                                /* its time of sending, by your clock */
    int64_t utc_ns;                                 /* the facility's clock, Unix time */
    uint64_t tick;
    double left_m, left_rad, left_s; /* distance, angle and estimated time to convergence */
    double commanded_clearance_m, actual_clearance_m, yellow_m;
    double chaser[7], target[7]; /* actual poses in the client's frame */
    uint32_t taken, lost, extrapolated, stale, refused, doubled;
} pxb_status;

/* One sender. Read what you like, write nothing. */
typedef struct pxb_client {
    int socket;
    uint64_t sequence; /* of the newest command sent */
    uint64_t heard;    /* statuses taken */
    uint64_t ignored;  /* datagrams that were no status of ours */
    pxb_status status; /* the newest; all zero as long as heard is 0 */
    int keyed;          /* pxb_use_key was called */
    uint8_t key[32];    /* the bridge's, derived from yours */
    uint64_t session;   /* drawn at random, never 0 */
    uint64_t challenge; /* the facility's, 0 as long as it has not been heard */
} pxb_client;

/* ---- bytes, little-endian ---- */

static inline void pxb_put(uint8_t *at, uint64_t value, int bytes) {
    for (int i = 0; i < bytes; i++) at[i] = (uint8_t)(value >> (8 * i));
}

static inline uint64_t pxb_get(const uint8_t *at, int bytes) {
    uint64_t value = 0;
    for (int i = 0; i < bytes; i++) value |= (uint64_t)at[i] << (8 * i);
    return value;
}

static inline int64_t pxb_get_signed(const uint8_t *at) {
    const uint64_t raw = pxb_get(at, 8);
    int64_t value;
    memcpy(&value, &raw, 8);
    return value;
}

static inline void pxb_put_doubles(uint8_t *at, const double *values, int count) {
    for (int i = 0; i < count; i++) {
        uint64_t raw;
        memcpy(&raw, &values[i], 8);
        pxb_put(at + 8 * i, raw, 8);
    }
}

static inline void pxb_get_doubles(const uint8_t *at, double *values, int count) {
    for (int i = 0; i < count; i++) {
        const uint64_t raw = pxb_get(at + 8 * i, 8);
        memcpy(&values[i], &raw, 8);
    }
}

/* CRC-32 of IEEE 802.3, as zlib computes it: reflected polynomial 0xEDB88320, half a byte at a time. */
static inline uint32_t pxb_crc32(const uint8_t *data, size_t size) {
    static const uint32_t table[16] = {
        0x00000000u, 0x1DB71064u, 0x3B6E20C8u, 0x26D930ACu, 0x76DC4190u, 0x6B6B51F4u, 0x4DB26158u, 0x5005713Cu,
        0xEDB88320u, 0xF00F9344u, 0xD6D6A3E8u, 0xCB61B38Cu, 0x9B64C2B0u, 0x86D3D2D4u, 0xA00AE278u, 0xBDBDF21Cu};
    uint32_t crc = 0xFFFFFFFFu;
    for (size_t i = 0; i < size; i++) {
        crc ^= data[i];
        crc = (crc >> 4) ^ table[crc & 15u];
        crc = (crc >> 4) ^ table[crc & 15u];
    }
    return ~crc;
}

/* ---- HMAC-SHA256 (FIPS 180-4, RFC 2104) ---- */

typedef struct pxb_sha256 {
    uint32_t state[8];
    uint64_t bytes;
    uint8_t block[64];
} pxb_sha256;

static inline uint32_t pxb_turned(uint32_t x, int by) { return (x >> by) | (x << (32 - by)); }

static inline void pxb_sha256_block(pxb_sha256 *h) {
    static const uint32_t k[64] = {
        0x428a2f98u, 0x71374491u, 0xb5c0fbcfu, 0xe9b5dba5u, 0x3956c25bu, 0x59f111f1u, 0x923f82a4u, 0xab1c5ed5u,
        0xd807aa98u, 0x12835b01u, 0x243185beu, 0x550c7dc3u, 0x72be5d74u, 0x80deb1feu, 0x9bdc06a7u, 0xc19bf174u,
        0xe49b69c1u, 0xefbe4786u, 0x0fc19dc6u, 0x240ca1ccu, 0x2de92c6fu, 0x4a7484aau, 0x5cb0a9dcu, 0x76f988dau,
        0x983e5152u, 0xa831c66du, 0xb00327c8u, 0xbf597fc7u, 0xc6e00bf3u, 0xd5a79147u, 0x06ca6351u, 0x14292967u,
        0x27b70a85u, 0x2e1b2138u, 0x4d2c6dfcu, 0x53380d13u, 0x650a7354u, 0x766a0abbu, 0x81c2c92eu, 0x92722c85u,
        0xa2bfe8a1u, 0xa81a664bu, 0xc24b8b70u, 0xc76c51a3u, 0xd192e819u, 0xd6990624u, 0xf40e3585u, 0x106aa070u,
        0x19a4c116u, 0x1e376c08u, 0x2748774cu, 0x34b0bcb5u, 0x391c0cb3u, 0x4ed8aa4au, 0x5b9cca4fu, 0x682e6ff3u,
        0x748f82eeu, 0x78a5636fu, 0x84c87814u, 0x8cc70208u, 0x90befffau, 0xa4506cebu, 0xbef9a3f7u, 0xc67178f2u};
    uint32_t w[64], s[8];
    for (int i = 0; i < 16; i++)
        w[i] = (uint32_t)h->block[4 * i] << 24 | (uint32_t)h->block[4 * i + 1] << 16 |
               (uint32_t)h->block[4 * i + 2] << 8 | (uint32_t)h->block[4 * i + 3];
    for (int i = 16; i < 64; i++) {
        const uint32_t a = w[i - 15], b = w[i - 2];
        w[i] = w[i - 16] + (pxb_turned(a, 7) ^ pxb_turned(a, 18) ^ a >> 3) + w[i - 7] +
               (pxb_turned(b, 17) ^ pxb_turned(b, 19) ^ b >> 10);
    }
    memcpy(s, h->state, sizeof s);
    for (int i = 0; i < 64; i++) {
        const uint32_t one = s[7] + (pxb_turned(s[4], 6) ^ pxb_turned(s[4], 11) ^ pxb_turned(s[4], 25)) +
                             ((s[4] & s[5]) ^ (~s[4] & s[6])) + k[i] + w[i];
        const uint32_t two = (pxb_turned(s[0], 2) ^ pxb_turned(s[0], 13) ^ pxb_turned(s[0], 22)) +
                             ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
        for (int j = 7; j > 0; j--) s[j] = s[j - 1];
        s[4] += one;
        s[0] = one + two;
    }
    for (int i = 0; i < 8; i++) h->state[i] += s[i];
}

static inline void pxb_sha256_begin(pxb_sha256 *h) {
    static const uint32_t first[8] = {0x6a09e667u, 0xbb67ae85u, 0x3c6ef372u, 0xa54ff53au,
                                      0x510e527fu, 0x9b05688cu, 0x1f83d9abu, 0x5be0cd19u};
    memcpy(h->state, first, sizeof first);
    h->bytes = 0;
}

static inline void pxb_sha256_add(pxb_sha256 *h, const uint8_t *data, size_t size) {
    for (size_t i = 0; i < size; i++) {
        h->block[h->bytes++ % 64] = data[i];
        if (h->bytes % 64 == 0) pxb_sha256_block(h);
    }
}

static inline void pxb_sha256_end(pxb_sha256 *h, uint8_t out[32]) {
    static const uint8_t zero = 0, one = 0x80;
    const uint64_t bits = 8 * h->bytes;
    pxb_sha256_add(h, &one, 1);
    while (h->bytes % 64 != 56) pxb_sha256_add(h, &zero, 1);
    for (int i = 7; i >= 0; i--) {
        const uint8_t byte = (uint8_t)(bits >> (8 * i));
        pxb_sha256_add(h, &byte, 1);
    }
    for (int i = 0; i < 32; i++) out[i] = (uint8_t)(h->state[i / 4] >> (24 - 8 * (i % 4)));
}

static inline void pxb_hmac_sha256(const uint8_t *key, size_t key_size, const uint8_t *data, size_t size, uint8_t out[32]) {
    uint8_t inner[64] = {0}, outer[64];
    pxb_sha256 h;
    pxb_sha256_begin(&h);
    if (key_size > 64) {
        pxb_sha256_add(&h, key, key_size);
        pxb_sha256_end(&h, inner);
        pxb_sha256_begin(&h);
    } else if (key_size > 0) {
        memcpy(inner, key, key_size);
    }
    for (int i = 0; i < 64; i++) {
        outer[i] = inner[i] ^ 0x5cu;
        inner[i] ^= 0x36u;
    }
    pxb_sha256_add(&h, inner, 64);
    pxb_sha256_add(&h, data, size);
    pxb_sha256_end(&h, out);
    pxb_sha256_begin(&h);
    pxb_sha256_add(&h, outer, 64);
    pxb_sha256_add(&h, out, 32);
    pxb_sha256_end(&h, out);
}

/* Whether the last 16 bytes are the code of those before them; takes as long whatever is wrong. */
static inline int pxb_genuine(const uint8_t key[32], const uint8_t *data, size_t size) {
    uint8_t code[32], wrong = 0;
    pxb_hmac_sha256(key, 32, data, size - PXB_CODE_SIZE, code);
    for (int i = 0; i < PXB_CODE_SIZE; i++) wrong |= (uint8_t)(code[i] ^ data[size - PXB_CODE_SIZE + i]);
    return !wrong;
}

/* ---- datagrams ---- */

/* The bytes of a command. 0, or -1 with EINVAL when a pose is missing or only one velocity is given. */
static inline int pxb_encode_command(const pxb_command *command, uint8_t out[PXB_COMMAND_SIZE]) {
    const pxb_command *c = command;
    if (!c->chaser || !c->target || !c->chaser_velocity != !c->target_velocity) {
        errno = EINVAL;
        return -1;
    }
    memset(out, 0, PXB_COMMAND_SIZE);
    memcpy(out + PXB_COMMAND_AT_MAGIC, "PXBC", 4);
    out[PXB_COMMAND_AT_VERSION] = PXB_VERSION;
    out[PXB_COMMAND_AT_FLAGS] =
        (uint8_t)((c->chaser_velocity ? PXB_FLAG_VELOCITIES_VALID : 0u) | (c->sun ? PXB_FLAG_SUN_VALID : 0u));
    pxb_put(out + PXB_COMMAND_AT_SEQUENCE, c->sequence, 8);
    pxb_put(out + PXB_COMMAND_AT_SENT_NS, (uint64_t)c->sent_ns, 8);
    pxb_put_doubles(out + PXB_COMMAND_AT_CHASER, c->chaser, 7);
    pxb_put_doubles(out + PXB_COMMAND_AT_TARGET, c->target, 7);
    if (c->chaser_velocity) {
        pxb_put_doubles(out + PXB_COMMAND_AT_CHASER_VELOCITY, c->chaser_velocity, 6);
        pxb_put_doubles(out + PXB_COMMAND_AT_TARGET_VELOCITY, c->target_velocity, 6);
    }
    if (c->sun) pxb_put_doubles(out + PXB_COMMAND_AT_SUN, c->sun, 3);
    pxb_put(out + PXB_COMMAND_AT_CRC, pxb_crc32(out, PXB_COMMAND_AT_CRC), 4);
    return 0;
}

/* Checks size, magic, version and CRC. 0, or -1 and *out untouched. */
static inline int pxb_decode_status(const uint8_t *data, size_t size, pxb_status *out) {
    if (size != PXB_STATUS_SIZE || memcmp(data, "PXBS", 4) != 0 || data[PXB_STATUS_AT_VERSION] != PXB_VERSION ||
        pxb_get(data + PXB_STATUS_AT_CRC, 4) != pxb_crc32(data, PXB_STATUS_AT_CRC))
        return -1;
    out->flags = data[PXB_STATUS_AT_FLAGS];
    out->phase = data[PXB_STATUS_AT_PHASE];
    out->input_state = data[PXB_STATUS_AT_INPUT_STATE];
    out->commanded_zone = data[PXB_STATUS_AT_COMMANDED_ZONE];
    out->actual_zone = data[PXB_STATUS_AT_ACTUAL_ZONE];
    out->cause = data[PXB_STATUS_AT_CAUSE];
    out->mode = data[PXB_STATUS_AT_MODE];
    out->rule = data[PXB_STATUS_AT_RULE];
    out->refusal = data[PXB_STATUS_AT_REFUSAL];
    out->converged = (out->flags & PXB_FLAG_CONVERGED) != 0;
    out->moving = (out->flags & PXB_FLAG_MOVING) != 0;
    out->master = (out->flags & PXB_FLAG_MASTER) != 0;
    out->velocities_used = (out->flags & PXB_FLAG_VELOCITIES_USED) != 0;
    out->sequence = pxb_get(data + PXB_STATUS_AT_SEQUENCE, 8);
    out->sent_ns = pxb_get_signed(data + PXB_STATUS_AT_SENT_NS);
    out->utc_ns = pxb_get_signed(data + PXB_STATUS_AT_UTC_NS);
    out->tick = pxb_get(data + PXB_STATUS_AT_TICK, 8);
    pxb_get_doubles(data + PXB_STATUS_AT_LEFT_M, &out->left_m, 1);
    pxb_get_doubles(data + PXB_STATUS_AT_LEFT_RAD, &out->left_rad, 1);
    pxb_get_doubles(data + PXB_STATUS_AT_LEFT_S, &out->left_s, 1);
    pxb_get_doubles(data + PXB_STATUS_AT_COMMANDED_CLEARANCE_M, &out->commanded_clearance_m, 1);
    pxb_get_doubles(data + PXB_STATUS_AT_ACTUAL_CLEARANCE_M, &out->actual_clearance_m, 1);
    pxb_get_doubles(data + PXB_STATUS_AT_YELLOW_M, &out->yellow_m, 1);
    pxb_get_doubles(data + PXB_STATUS_AT_CHASER, out->chaser, 7);
    pxb_get_doubles(data + PXB_STATUS_AT_TARGET, out->target, 7);
    out->taken = (uint32_t)pxb_get(data + PXB_STATUS_AT_TAKEN, 4);
    out->lost = (uint32_t)pxb_get(data + PXB_STATUS_AT_LOST, 4);
    out->extrapolated = (uint32_t)pxb_get(data + PXB_STATUS_AT_EXTRAPOLATED, 4);
    out->stale = (uint32_t)pxb_get(data + PXB_STATUS_AT_STALE, 4);
    out->refused = (uint32_t)pxb_get(data + PXB_STATUS_AT_REFUSED, 4);
    out->doubled = (uint32_t)pxb_get(data + PXB_STATUS_AT_DOUBLED, 4);
    return 0;
}

/* ---- client ---- */

/* Opens a socket towards the facility at a numeric IPv4 address. 0, or -1 with errno. */
static inline int pxb_open(pxb_client *client, const char *address, uint16_t port) {
    struct sockaddr_in facility;
    memset(client, 0, sizeof *client);
    memset(&facility, 0, sizeof facility);
    facility.sin_family = AF_INET;
    facility.sin_port = htons(port);
    client->socket = -1;
    if (inet_pton(AF_INET, address, &facility.sin_addr) != 1) {
        errno = EINVAL;
        return -1;
    }
    client->socket = socket(AF_INET, SOCK_DGRAM, 0);
    if (client->socket < 0) return -1;
    /* A connected socket hears only the facility. */
    if (connect(client->socket, (const struct sockaddr *)&facility, sizeof facility) == 0) return 0;
    const int reason = errno;
    close(client->socket);
    client->socket = -1;
    errno = reason;
    return -1;
}

/* The facility's key (all bytes of its --key-file, at least 16): call it after pxb_open, before the first pxb_send. 0, or -1 with
 * errno. The first command only fetches the challenge; pxb_receive takes it in, and the next command counts. */
static inline int pxb_use_key(pxb_client *client, const uint8_t *key, size_t size) {
    static const char label[] = "proxops bridge";
    uint8_t drawn[8];
    if (size < 16) {
        errno = EINVAL;
        return -1;
    }
    const int source = open("/dev/urandom", O_RDONLY);
    if (source < 0) return -1;
    const ssize_t got = read(source, drawn, sizeof drawn);
    close(source);
    if (got != (ssize_t)sizeof drawn) {
        errno = EIO;
        return -1;
    }
    pxb_hmac_sha256(key, size, (const uint8_t *)label, sizeof label - 1, client->key);
    client->session = pxb_get(drawn, 8) ? pxb_get(drawn, 8) : 1;
    client->challenge = 0;
    client->keyed = 1;
    return 0;
}

static inline void pxb_close(pxb_client *client) {
    if (client->socket >= 0) close(client->socket);
    client->socket = -1;
}

/* Sends both poses with the next sequence number; see pxb_command for the arguments. Never blocks. 0, or -1 with errno:
 * ECONNREFUSED when nobody listens there (yet), EAGAIN when the send buffer is full. Both are lost packets, no reason to end. */
static inline int pxb_send(pxb_client *client, int64_t sent_ns, const double chaser[7], const double target[7],
                           const double *chaser_velocity, const double *target_velocity, const double *sun) {
    uint8_t data[PXB_COMMAND_SIZE + PXB_TRAILER_SIZE], code[32];
    size_t size = PXB_COMMAND_SIZE;
    pxb_command command;
    command.sequence = client->sequence + 1;
    command.sent_ns = sent_ns;
    command.chaser = chaser;
    command.target = target;
    command.chaser_velocity = chaser_velocity;
    command.target_velocity = target_velocity;
    command.sun = sun;
    if (pxb_encode_command(&command, data) != 0) return -1;
    client->sequence++;
    if (client->keyed) {
        memcpy(data + size + PXB_TRAILER_AT_MAGIC, "PXKT", 4);
        pxb_put(data + size + PXB_TRAILER_AT_SESSION, client->session, 8);
        pxb_put(data + size + PXB_TRAILER_AT_CHALLENGE, client->challenge, 8);
        pxb_hmac_sha256(client->key, 32, data, size + PXB_TRAILER_AT_CODE, code);
        memcpy(data + size + PXB_TRAILER_AT_CODE, code, PXB_CODE_SIZE);
        size += PXB_TRAILER_SIZE;
    }
    /* That an EARLIER datagram met a closed port is reported here, once, and this one is not sent: try again. */
    for (int attempt = 0; attempt < 3; attempt++) {
        if (send(client->socket, data, size, MSG_DONTWAIT) == (ssize_t)size) return 0;
        if (errno != ECONNREFUSED && errno != EINTR) return -1;
    }
    return -1;
}

/* Size of the plain status in a datagram; 0 if it is none: not under our key, of another session, or a challenge, now known. */
static inline size_t pxb_opened(pxb_client *client, const uint8_t *data, size_t size) {
    if (!client->keyed) return size;
    const int told = size == PXB_CHALLENGE_SIZE && memcmp(data, "PXKC", 4) == 0;
    const size_t plain = told ? 0 : PXB_STATUS_SIZE;
    if (!told && (size != PXB_STATUS_SIZE + PXB_TRAILER_SIZE || memcmp(data + plain, "PXKT", 4) != 0)) return 0;
    const uint8_t *session = data + (told ? PXB_CHALLENGE_AT_SESSION : plain + PXB_TRAILER_AT_SESSION);
    if (pxb_get(session, 8) != client->session || !pxb_genuine(client->key, data, size)) return 0;
    client->challenge = pxb_get(session + 8, 8);
    return plain;
}

/* Reads all that has come, and waits up to wait_ms for the first (0: not at all). 1 when client->status is new, 0 when not.
 * Damaged, foreign and overtaken datagrams are passed over. Call it at least once a second: what nobody reads fills the
 * socket's buffer, and then the newest is what gets lost. */
static inline int pxb_receive(pxb_client *client, int wait_ms) {
    uint8_t data[PXB_STATUS_SIZE + PXB_TRAILER_SIZE + 1]; /* one more, so that a datagram that is too long is noticed */
    struct pollfd waiting;
    int fresh = 0;
    waiting.fd = client->socket;
    waiting.events = POLLIN;
    if (wait_ms > 0) poll(&waiting, 1, wait_ms);
    for (;;) {
        pxb_status status;
        const ssize_t size = recv(client->socket, data, sizeof data, MSG_DONTWAIT);
        if (size < 0 && (errno == ECONNREFUSED || errno == EINTR)) continue;
        if (size < 0) return fresh;
        const size_t plain = pxb_opened(client, data, (size_t)size);
        if (pxb_decode_status(data, plain, &status) != 0) {
            client->ignored++;
            continue;
        }
        /* A facility that was started again counts ticks anew, but it is later; what was overtaken is earlier in both. */
        if (client->heard && status.tick < client->status.tick && status.utc_ns < client->status.utc_ns) continue;
        client->status = status;
        client->heard++;
        fresh = 1;
    }
}

#endif
