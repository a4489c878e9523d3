/* alarm.c: the process's set of alarms. Each alarm is called or cancelled, not both; its thread sleeps no longer than it may,
 * and ends. */
#include "scenario.h"

#include "alarm/alarm.h"

#include <string.h>

enum { BELLS = 4 };

typedef struct bell {
    sq__alarm_t alarm;
    int called, cancelled;
    uint64_t cell; /* what the call writes, and which thread cancelled */
} bell_t;

static bell_t bells[BELLS];
static sq__alarms_t *set;

static void ring(sq__alarm_t *alarm) {
    bell_t *bell = (bell_t *)alarm;
    unsigned number = (unsigned)(bell - bells);
    ex_caller = (const void *)ring;
    ex_write(&bell->cell, sizeof bell->cell);
    if (bell->cancelled || bell->called++) {
        ex_fail("alarm: %u is called twice, or after it was cancelled", number);
    }
    EX_TRACE("alarm %u is called", number);
    ex_gate_open(number);
}

static bool lease(void) { return sq__alarms_shared(&set) == 0; }

static void set_bell(unsigned number, uint64_t due, uint64_t leeway) {
    ex_caller = (const void *)set_bell;
    ex_write(&bells[number].cell, sizeof bells[number].cell);
    sq__alarm_set(set, &bells[number].alarm, due, leeway);
}

/* It was cancelled, or its call is on its way. */
static void cancel_bell(unsigned number) {
    bell_t *bell = &bells[number];
    if (sq__alarm_cancel(set, &bell->alarm)) {
        if (bell->called) {
            ex_fail("alarm: %u was called and cancelled", number);
        }
        ex_caller = (const void *)cancel_bell;
        ex_write(&bell->cell, sizeof bell->cell);
        bell->cancelled = 1;
    } else {
        ex_gate_pass(number);
    }
}

static void run(void (*const threads[])(void *)) {
    static const expectation_t nothing;
    int ids[4];
    stage_begin(&nothing, 0);
    memset(bells, 0, sizeof bells);
    for (unsigned i = 0; i < BELLS; i += 1) {
        bells[i].alarm.call = ring;
    }
    set = NULL;
    for (unsigned i = 0; threads[i] != NULL; i += 1) {
        ids[i] = ex_start(threads[i], NULL, false);
    }
    for (unsigned i = 0; threads[i] != NULL; i += 1) {
        ex_join(ids[i]);
    }
    ex_end_in_one_order();
    for (unsigned i = 1; i < ex_threads(); i += 1) {
        ex_join((int)i);
    }
    stage_end();
}

#define THREAD(name, ...) static void name(void *unused) { (void)unused; if (lease()) { __VA_ARGS__; sq__alarms_release(set); } }
#define BODY(name, ...) static void name(void) { run((void (*const[])(void *)){ __VA_ARGS__, NULL }); }

THREAD(set_and_cancel_0, set_bell(0, 1100, 0); cancel_bell(0))
THREAD(set_and_cancel_1, set_bell(1, 1050, 0); cancel_bell(1))
THREAD(wait_for_2, set_bell(2, 1000000000000, 0); ex_gate_pass(3); if (!sq__alarm_cancel(set, &bells[2].alarm)) ex_gate_pass(2))
THREAD(wait_for_3, set_bell(3, 1000, 0); ex_gate_pass(3))
/* Due long after the time that the thread stays without a lease. */
THREAD(far_0, set_bell(0, 1000000000000, 0); ex_gate_pass(0))
THREAD(only_lease, )
THREAD(loose_0, set_bell(0, 1000, 1000000000000); ex_gate_pass(0))
THREAD(exact_1, set_bell(1, 1100, 0); ex_gate_pass(1))
THREAD(set_twice, set_bell(0, 1000, 0); cancel_bell(0); bells[0].called = bells[0].cancelled = 0; set_bell(0, 1000, 50); cancel_bell(0))

BODY(alarm_cancel, set_and_cancel_0, set_and_cancel_1)
BODY(alarm_earlier, wait_for_2, wait_for_3)
BODY(alarm_far, far_0)
BODY(alarm_lease, only_lease, exact_1)
BODY(alarm_leeway, loose_0, exact_1)
BODY(alarm_twice, set_twice, only_lease)

const scenario_t alarm_scenarios[] = {
    { "alarm_cancel", "an alarm is called or cancelled, not both", .body = alarm_cancel },
    { "alarm_earlier", "an earlier alarm wakes the thread, which would sleep too long", .body = alarm_earlier },
    { "alarm_far", "the alarms' thread stays as long as there is a lease", .body = alarm_far },
    { "alarm_lease", "the last lease against a new one: the thread ends, or is there", .body = alarm_lease },
    { "alarm_leeway", "an alarm with a leeway is called with another one", .body = alarm_leeway },
    { "alarm_twice", "an alarm that is set again while its call is on its way", .body = alarm_twice },
    { "alarm_faults", "no token or no thread for the set", .body = alarm_lease, .faults = true },
    { 0 },
};
