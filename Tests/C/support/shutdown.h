/* shutdown.h: every call that submits, refused after a shutdown. sq_sync_or_run is not: after_end_test. */
#ifndef SHUTDOWN_H
#define SHUTDOWN_H

#include "caller.h"
#include "inject.h"
#include "outcome.h"

#include <stdlib.h>

/* Every call that submits is refused, and nothing comes of it. */
static inline void check_refuses(sq_queue_t *queue) {
    const sq_task_t never = { must_not_run, NULL, must_not_run };
    CHECK_EQUAL(sq_async(queue, must_not_run, NULL), ESHUTDOWN);
    CHECK_EQUAL(sq_async_task(queue, &never), ESHUTDOWN);
    CHECK_EQUAL(sq_async_until(queue, SQ_FOREVER, &never), ESHUTDOWN);
    CHECK_EQUAL(sq_run_and_wait(queue, SQ_FOREVER, must_not_run, NULL), ESHUTDOWN);
    CHECK_EQUAL(sq_sync(queue, must_not_run, NULL), ESHUTDOWN);
    CHECK_EQUAL(sq_sync_until(queue, SQ_NOW, must_not_run, NULL), ESHUTDOWN);
}
enum { REFUSALS = 6 };

#endif
