/* shutdown.c: shutting a queue down, and waiting for its end. end.h has the design. */
#include "include/sq_shutdown.h"

#include "kernel/kernel_inline.h"
#include "observe/observe_inline.h"
#include "queue/async.h"
#include "queue/end.h"
#include "queue/pending_timers.h"
#include "queue/queue_runner.h"
#include "queue/targeted.h"
#include "state/state_inline.h"
#include "wait/wait.h"

#include <errno.h>

/* The wait has begun. Waits until the queue has ended. Returns as sq__wait_end; the wait is over then, and the ender not listed. Takes the lock. */
static int wait_for_end(sq_queue_t *queue, sq__ender_t *ender, sq_time_t deadline) {
    sq__lock(queue);
    /* [end] acquire: all that was done with the queue. */
    if (sq__load_acquire(&queue->state) & SQ__ENDED) {
        sq__unlock(queue);
        sq__wait_cancel(&ender->wait);
        return 0;
    }
    sq__enders_add(ender);
    sq__unlock(queue); /* held until here, because the queue ends under this lock */
    int error = sq__wait_end(&ender->wait, deadline);
    if (error) {
        bool has_ended = !sq__enders_remove(ender); /* it ended in the same moment */
        return has_ended && error != ESTALE ? 0 : error;
    }
    return 0;
}

/* Releases the references that the pending timers had. */
static void release_references(sq_queue_t *queue, size_t references) {
    if (references > 0) {
        sq__add_relaxed(&queue->references, 1 - (uint32_t)references); /* not the last one: sq_queue_release orders that */
        sq_queue_release(queue);
    }
}

bool sq_has_ended(const sq_queue_t *queue) {
    SQ__CHECK_HANDLE(queue);
    sq__lock(queue); /* a queue ends under it */
    bool has_ended = sq__load_relaxed(&queue->state) & SQ__ENDED;
    sq__unlock(queue);
    return has_ended;
}

int sq_shutdown(sq_queue_t *queue, sq_shutdown_mode_t mode, sq_time_t deadline) {
    SQ__CHECK_HANDLE(queue);
    sq__ender_t ender = { .wait = { .queue = queue, .aim = SQ__AIM_END } };
    if (mode != SQ_SHUTDOWN_DRAIN && mode != SQ_SHUTDOWN_DISCARD) {
        return EINVAL;
    }
    if (sq__queue_is_stale(queue)) {
        return ESTALE;
    }
    sq__targeted_fix(queue);
    int error = sq__wait_begin(&ender.wait, false);
    if (error) {
        return error;
    }
    SQ__PROBE3(shutdown, queue, SQ__LABEL_AT, mode);
    sq__trace_hook_seldom(queue, SQ__EVENT_SHUTDOWN, mode, 0);
    sq__lock(queue);
    bool takes_up = sq__end_close(queue, mode);
    size_t references = sq__pending_timers_take_references(queue);
    sq__unlock(queue);
    if (takes_up) {
        sq__baton_pass(queue);
    }
    if (mode == SQ_SHUTDOWN_DISCARD) {
        /* Refuse waiting threads now, however long the running task takes. Their slots stay until the holder consumes them. */
        sq__token_refuse_line(queue);
    }
    if (queue->room != NULL) {
        sq__async_close_capacity(queue); /* not with the baton: it calls the user's functions */
    }
    release_references(queue, references);
    if (sq__queue_is_stale(queue)) { /* one of those functions has forked, and this is the child: the token is the parent's, too */
        return ESTALE;
    }
    if (sq__is_current(queue)) {
        sq__wait_cancel(&ender.wait);
        sq__deadlock_onto_itself(queue, SQ__AIM_END, "shutdown of", NULL);
        return EDEADLK;
    }
    ender.wait.wait_id = sq__token_prepare(ender.wait.token); /* those functions may have waited with the same token */
    return wait_for_end(queue, &ender, deadline);
}
