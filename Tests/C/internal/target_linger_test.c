/* target_linger_test.c: a batch of a queue with a target does not wait for more in the target's turn. */
#include "latch.h"
#include "target.h"

#include "sq_suspend.h"
#include "thread/spin.h"

enum { PAUSES = 400 };

/* A lingering that found nothing makes the thread skip the next one. */
static void linger_with_success(void *spins) {
    sq__spin_end(SQ__SPIN_RUNNER, true);
    *(unsigned *)spins = sq__spin_begin(SQ__SPIN_RUNNER, PAUSES);
    sq__spin_end(SQ__SPIN_RUNNER, true);
}

static void would_linger(void *spins) { *(unsigned *)spins = sq__spin_begin(SQ__SPIN_RUNNER, PAUSES); }

TEST(a_batch_does_not_linger_in_the_turn_of_the_target) {
    sq_queue_t *target = make("target", NULL), *child = make("child", target);
    unsigned before = 0, after = 1;
    CHECK_EQUAL(sq_suspend(target), 0);
    CHECK_EQUAL(sq_async(target, linger_with_success, &before), 0);
    CHECK_EQUAL(sq_async(child, do_nothing, NULL), 0);
    CHECK_EQUAL(sq_async(target, would_linger, &after), 0);
    CHECK_EQUAL(sq_resume(target), 0);
    drain(target);
    CHECK_EQUAL(after, before);
    sq_queue_release(target);
    sq_queue_release(child);
}
