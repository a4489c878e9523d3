/* litmus.c: the explorer's own test: what each memory model allows, and what it forbids. Each outcome that is listed must
 * come, and no other. Compiled with the hooks, unlike the rest of the explorer. */
#include "scenario.h"

#include <stdatomic.h>

static atomic_uint x, y;
static int plain;
static unsigned seen[4];

static void start(void (*const threads[])(void *), unsigned count) {
    int ids[4];
    atomic_store_explicit(&x, 0, memory_order_relaxed);
    atomic_store_explicit(&y, 0, memory_order_relaxed);
    for (unsigned i = 0; i < count; i += 1) {
        ids[i] = ex_start(threads[i], NULL, false);
    }
    for (unsigned i = 0; i < count; i += 1) {
        ex_join(ids[i]);
    }
}

static void show(unsigned from, unsigned count) {
    stage_begin(&(expectation_t){ 0 }, 0);
    for (unsigned i = from; i < from + count; i += 1) {
        stage_print((char)('0' + seen[i]));
    }
}

#define RELAXED memory_order_relaxed
#define ACQUIRE memory_order_acquire
#define RELEASE memory_order_release
#define PUT(object, value, order) atomic_store_explicit(&(object), (value), (order))
#define GET(object, order) atomic_load_explicit(&(object), (order))
#define THREAD(name, ...) static void name(void *unused) { (void)unused; __VA_ARGS__; }
#define RUN(...) start((void (*const[])(void *)){ __VA_ARGS__ }, sizeof((void (*const[])(void *)){ __VA_ARGS__ }) / sizeof(void *))

THREAD(put_x_get_y, PUT(x, 1, RELEASE); seen[0] = GET(y, ACQUIRE))
THREAD(put_y_get_x, PUT(y, 1, RELEASE); seen[1] = GET(x, ACQUIRE))
static void store_buffering(void) { RUN(put_x_get_y, put_y_get_x); show(0, 2); }

THREAD(swap_x_get_y, atomic_exchange_explicit(&x, 1, memory_order_acq_rel); seen[0] = GET(y, ACQUIRE))
THREAD(swap_y_get_x, atomic_exchange_explicit(&y, 1, memory_order_acq_rel); seen[1] = GET(x, ACQUIRE))
static void swap_buffering(void) { RUN(swap_x_get_y, swap_y_get_x); show(0, 2); }

THREAD(send, PUT(x, 1, RELAXED); PUT(y, 1, RELEASE))
THREAD(receive, seen[0] = GET(y, ACQUIRE); seen[1] = GET(x, RELAXED))
static void message_passing(void) { RUN(send, receive); show(0, 2); }

THREAD(send_relaxed, PUT(x, 1, RELAXED); PUT(y, 1, RELAXED))
THREAD(receive_relaxed, seen[0] = GET(y, RELAXED); seen[1] = GET(x, RELAXED))
static void message_relaxed(void) { RUN(send_relaxed, receive_relaxed); show(0, 2); }

THREAD(count_up, PUT(x, 1, RELAXED); PUT(x, 2, RELAXED))
THREAD(look_twice, seen[0] = GET(x, RELAXED); seen[1] = GET(x, RELAXED))
static void coherence(void) { RUN(count_up, look_twice); show(0, 2); }

THREAD(put_x, PUT(x, 1, RELEASE))
THREAD(put_y, PUT(y, 1, RELEASE))
THREAD(get_x_y, seen[0] = GET(x, ACQUIRE); seen[1] = GET(y, ACQUIRE))
THREAD(get_y_x, seen[2] = GET(y, ACQUIRE); seen[3] = GET(x, ACQUIRE))
/* 1010: the two readers disagree about which came first. */
static void independent_reads(void) {
    RUN(put_x, put_y, get_x_y, get_y_x);
    stage_begin(&(expectation_t){ 0 }, 0);
    stage_print(seen[0] == 1 && seen[1] == 0 && seen[2] == 1 && seen[3] == 0 ? 'D' : 'A');
}

THREAD(send_plain, plain = 1; PUT(y, 1, RELEASE))
THREAD(receive_plain, seen[0] = GET(y, ACQUIRE); seen[1] = seen[0] ? (unsigned)plain : 1)
static void plain_passing(void) { plain = 0; RUN(send_plain, receive_plain); show(0, 2); }

const scenario_t litmus_scenarios[] = {
    { "litmus_sb", "store buffering: both may read 0 but under SC", .body = store_buffering, .prints = { "01 10 11", "00 01 10 11", "00 01 10 11" } },
    { "litmus_sb_rmw", "the same after read-modify-writes: RA allows it, a buffer does not", .body = swap_buffering,
      .prints = { "01 10 11", "01 10 11", "00 01 10 11" } },
    { "litmus_mp", "message passing with release and acquire: never flag without message", .body = message_passing, .prints = { "00 01 11" } },
    { "litmus_mp_relaxed", "message passing relaxed: RA loses the message, the others do not", .body = message_relaxed,
      .prints = { "00 01 11", "00 01 11", "00 01 10 11" } },
    { "litmus_corr", "one location never goes back", .body = coherence, .prints = { "00 01 02 11 12 22" } },
    { "litmus_iriw", "independent reads of independent writes: RA lets the readers disagree", .body = independent_reads,
      .prints = { "A", "A", "A D" }, .bound = { 0, 4, 0, 2 } },
    { "litmus_plain", "plain data behind a flag is no race", .body = plain_passing, .prints = { "01 11" } },
    { 0 },
};
