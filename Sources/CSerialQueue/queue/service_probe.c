/* service_probe.c: what the system grants to a class of service. The answer comes from a new thread of that class: the pool's own
 * threads may be in the middle of a task, or may not have started. */
#include "include/sq_pool.h"
#include "platform/mutex.h"
#include "platform/service.h"
#include "platform/thread.h"
#include "pool/pool.h"
#include "runner/runner_inline.h"
#include "thread/token.h"

#include <errno.h>

typedef struct question {
    sq__thread_start_t start;
    sq__token_t *token;
    sq__wait_id_t wait_id;
    sq_pool_granted_t granted;
} question_t;

static void answer(void *argument) {
    question_t *question = argument;
    sq__service_read(&question->granted);
    sq__token_grant(question->token, question->wait_id);
}

int sq_pool_granted(const sq_pool_t *pool, sq_pool_granted_t *granted) {
    if (granted->size != sizeof *granted || sq__runner_is_threadless(sq__runner(pool, SQ__LEVEL_NORMAL))) {
        return EINVAL;
    }
    question_t question = { .token = sq__token_acquire(), .granted = { .size = sizeof *granted, .service = sq__pool_service(pool) } };
    if (question.token == NULL) {
        return ENOMEM;
    }
    question.wait_id = sq__token_prepare(question.token);
    int error = sq__thread_start(&question.start, answer, &question,
                                 &(sq__thread_kind_t){ .name = "sq-granted", .service = question.granted.service });
    if (error == 0) {
        (void)sq__token_sleep(question.token, question.wait_id, SQ__NEVER);
        *granted = question.granted;
    }
    sq__token_recycle(question.token);
    return error;
}
