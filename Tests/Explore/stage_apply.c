/* stage_apply.c: sq_apply in a scenario: each iteration runs once, none after the call has returned, and all is visible. */
#include "stage_inside.h"

#include "include/sq_pool.h"

#include <string.h>

enum { APPLIES = 8, ITERATIONS = 8 };

typedef struct apply {
    uint64_t frame; /* stands for what the caller shares with the iterations, and has for itself afterwards */
    uint64_t results[ITERATIONS];
    int ran[ITERATIONS];
    bool is_over;
    void (*inside)(const void *argument);
    const void *argument;
} apply_t;

static apply_t applies[APPLIES];
static unsigned used;

void stage_apply_reset(void) {
    memset(applies, 0, sizeof applies);
    used = 0;
}

static void iterate(void *context, size_t index) {
    apply_t *apply = context;
    ex_caller = (const void *)iterate;
    ex_read(WORD(apply->frame));
    if (apply->is_over || index >= ITERATIONS || apply->ran[index]++) {
        ex_fail("apply: iteration %zu runs twice, or after the call has returned", index);
    }
    EX_TRACE("iteration %zu begins", index);
    ex_point();
    if (apply->inside != NULL) {
        apply->inside(apply->argument);
    }
    ex_caller = (const void *)iterate;
    ex_write(WORD(apply->results[index]));
    ex_read(WORD(apply->frame));
}

void stage_apply(unsigned count, void (*inside)(const void *), const void *argument) {
    if (used == APPLIES || count > ITERATIONS) {
        ex_fail("the explorer itself: too many applies");
    }
    apply_t *apply = &applies[used++];
    apply->inside = inside;
    apply->argument = argument;
    ex_caller = (const void *)stage_apply;
    ex_write(WORD(apply->frame));
    sq_pool_t *pool = sq_pool_retain(stage_pool());
    EX_TRACE("calls apply");
    int error = sq_apply(pool, count, iterate, apply);
    EX_TRACE("apply returns %d", error);
    sq_pool_release(pool);
    apply->is_over = true;
    ex_caller = (const void *)stage_apply;
    ex_write(WORD(apply->frame));
    for (unsigned i = 0; i < count; i += 1) {
        if (error || apply->ran[i] != 1) {
            ex_fail("apply: it returned %d, and iteration %u has run %d times", error, i, apply->ran[i]);
        }
        ex_read(WORD(apply->results[i]));
    }
}
