#include "thread/spare.h"

#include "platform/clock.h"
#include "platform/mutex.h"
#include "platform/thread.h"
#include "thread/process.h"

/* Nanoseconds between two tries to start a thread: the first pause and the longest one. */
enum { PAUSE = 1000000, LONGEST_PAUSE = 128 * PAUSE };

/* Fields: F fixed while it is listed; L under the lock. It is a local variable of its thread. The thread that takes it off the list writes
 * `worker`, and grants the wait. */
typedef struct spare {
    sq__token_t *token;    /* F */
    sq__wait_id_t wait_id; /* F */
    sq__worker_t *worker;  /* what the thread runs next; NULL: it ends */
    struct spare *next;    /* L */
} spare_t;

/* While a worker rests, 0 < spare_count <= resting; while the line is not empty, spare_count is 1. */
static sq__mutex_t lock = SQ__MUTEX_INIT;
static spare_t *spares;         /* L  the one that came last is given first */
static unsigned spare_count;    /* L */
static size_t resting;          /* L  how many workers have no thread, the line included */
static sq__worker_t *line, **line_end = &line; /* L  the posted ones, in the order of their posts */

/* L. Returns NULL if there is none. */
static spare_t *take_spare(void) {
    spare_t *spare = spares;
    if (spare != NULL) {
        spares = spare->next;
        spare_count -= 1;
    }
    return spare;
}

/* By the thread that has taken it. */
static void hand_over(spare_t *spare, sq__worker_t *worker) {
    spare->worker = worker;
    sq__token_grant(spare->token, spare->wait_id); /* never withdrawn */
}

/* L. Starts a thread that finds the worker posted. False: no memory or no thread. */
static bool start_thread(sq__worker_t *worker) {
    sq__token_t *token = sq__token_acquire();
    if (token == NULL) {
        return false;
    }
    worker->token = token;
    worker->wait_id = sq__token_prepare(token);
    sq__token_grant(token, worker->wait_id);
    if (sq__thread_start_again(&worker->start) != 0) {
        sq__token_recycle(token);
        return false;
    }
    return true;
}

/* L. Finds a thread for a resting worker. *spare: it is handed over by the caller; NULL: a new one was started. False: there is none. */
static bool find_thread(sq__worker_t *worker, spare_t **spare) {
    *spare = spare_count > 1 || resting == 1 ? take_spare() : NULL; /* else it is the keeper */
    if (*spare == NULL && !start_thread(worker)) {
        return false;
    }
    resting -= 1;
    return true;
}

/* L. */
static sq__worker_t *take_from_line(void) {
    sq__worker_t *worker = line;
    line = worker->next;
    if (line == NULL) {
        line_end = &line;
    }
    return worker;
}

/* L. */
static void append_to_line(sq__worker_t *worker) {
    worker->next = NULL;
    *line_end = worker;
    line_end = &worker->next;
}

/* By the keeper. Returns whether workers are left in the line. */
static bool serve_line(sq__token_t *token) {
    bool is_served = true;
    sq__mutex_lock(&lock);
    sq__token_forget_nudge(token);
    while (line != NULL && is_served) {
        spare_t *spare;
        sq__worker_t *worker = take_from_line();
        is_served = find_thread(worker, &spare);
        if (!is_served) {
            append_to_line(worker); /* no order is promised among queues */
        } else if (spare != NULL) {
            hand_over(spare, worker); /* the keeper itself: it is the last resting worker */
        }
    }
    sq__mutex_unlock(&lock);
    return !is_served;
}

static sq__worker_t *wait_for_worker(spare_t *self) {
    uint64_t pause = PAUSE, deadline = SQ__NEVER;
    sq__thread_name_self("sq-spare");
    /* Open: it was nudged, or a pause is over. */
    while (sq__token_doze(self->token, self->wait_id, deadline) == SQ__OPEN) {
        if (serve_line(self->token)) {
            deadline = sq__clock_now() + pause;
            pause = pause < LONGEST_PAUSE ? 2 * pause : pause;
        } else {
            deadline = SQ__NEVER;
            pause = PAUSE;
        }
    }
    sq__token_forget_nudge(self->token); /* only listed threads are nudged */
    return self->worker;
}

sq__worker_t *sq__spare_wait(sq__worker_t *worker, sq__token_t *token, sq__wait_id_t wait_id) {
    spare_t self = { .token = token };
    bool stays = false;
    sq__mutex_lock(&lock);
    /* Under the lock: a poster that finds the wait withdrawn takes the lock, too, and then this thread no longer uses the worker. */
    if (sq__token_withdraw(token, wait_id) == SQ__WITHDRAWN) {
        if (line != NULL) {
            worker = take_from_line(); /* it rested, too: as many workers rest as before */
        } else {
            worker = NULL;
            resting += 1;
            stays = spare_count < SQ__SPARES;
        }
    }
    if (stays) {
        self.wait_id = sq__token_prepare(token);
        self.next = spares;
        spares = &self;
        spare_count += 1;
    }
    sq__mutex_unlock(&lock);
    return stays ? wait_for_worker(&self) : worker;
}

void sq__spare_call(sq__worker_t *worker) {
    spare_t *spare;
    sq__mutex_lock(&lock);
    if (!find_thread(worker, &spare)) {
        append_to_line(worker);
        sq__token_nudge(spares->token); /* the keeper */
    }
    sq__mutex_unlock(&lock);
    if (spare != NULL) {
        hand_over(spare, worker);
    }
}

void sq__spare_forget(void) {
    sq__mutex_lock(&lock);
    resting -= 1;
    spare_t *spare = spare_count > resting ? take_spare() : NULL;
    sq__mutex_unlock(&lock);
    if (spare != NULL) {
        hand_over(spare, NULL);
    }
}

size_t sq__spare_resting(void) {
    sq__mutex_lock(&lock);
    size_t count = resting;
    sq__mutex_unlock(&lock);
    return count;
}

/* The child has none of these threads, and no post comes to a worker of the parent. */
static void forget_all(void) {
    spares = NULL;
    spare_count = 0;
    resting = 0;
    line = NULL;
    line_end = &line;
}

SQ__AROUND_FORK(SQ__RANK_SPARES, .lock = &lock, .in_child = forget_all)
