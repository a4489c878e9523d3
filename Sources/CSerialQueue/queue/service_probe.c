/* granted.c: what the system grants to a class of service. The answer comes from a new thread of that class: the pool's own
 * threads may be in the middle of a task, or may not have started. */
#include "include/sq_pool.h"
#include "platform/mutex.h"
#include "platform/service.h"
#include "platform/thread.h"
#include "pool/loop.h"
#include "pool/pool.h"

#include <errno.h>

typedef struct question {
    sq__thread_start_t start;
    sq__mutex_t lock;
    sq__condition_t answered;
    bool is_answered; /* under the lock */
    sq_pool_granted_t granted;
} question_t;

static void answer(void *argument) {
    question_t *question = argument;
    sq__service_read(&question->granted);
    sq__mutex_lock(&question->lock);
    question->is_answered = true;
    sq__condition_signal(&question->answered);
    sq__mutex_unlock(&question->lock);
}

static int ask(question_t *question) {
    int error = sq__thread_start(&question->start, answer, question,
                                 &(sq__thread_kind_t){ .name = "sq-granted", .service = question->granted.service });
    if (error) {
        return error;
    }
    sq__mutex_lock(&question->lock);
    while (!question->is_answered) {
        (void)sq__condition_wait(&question->answered, &question->lock, SQ__NEVER);
    }
    sq__mutex_unlock(&question->lock);
    return 0;
}

int sq_pool_granted(const sq_pool_t *pool, sq_pool_granted_t *granted) {
    if (granted->size != sizeof *granted || sq__pool_clock(pool) != NULL || sq__pool_is_loop(pool)) {
        return EINVAL;
    }
    question_t question = { .granted = { .size = sizeof *granted, .service = sq__pool_service(pool) } };
    int error = sq__mutex_init(&question.lock);
    if (error) {
        return error;
    }
    error = sq__condition_init(&question.answered);
    if (error == 0) {
        error = ask(&question); /* on Linux a condition holds nothing that would have to be destroyed */
    }
    sq__mutex_destroy(&question.lock);
    if (error == 0) {
        *granted = question.granted;
    }
    return error;
}
