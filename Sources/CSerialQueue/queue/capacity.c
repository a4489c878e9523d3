#include "queue/capacity.h"

#include "gate/gate_inline.h"
#include "kernel/kernel_inline.h"
#include "observe/observe_inline.h"
#include "platform/container.h"
#include "platform/list.h"
#include "platform/memory.h"
#include "platform/mutex.h"
#include "queue/room_count.h"
#include "thread/explored.h"
#include "thread/spin.h"
#include "wait/wait.h"

#include <errno.h>

/* A thread or deferred task that waits for room. Fields: M under the capacity's mutex. */
typedef struct seeker {
    struct seeker *next;  /* M */
    struct seeker **link; /* M  the pointer to it; NULL: it is not in the list; &being_submitted: it got room and left the list */
    union {
        sq__wait_t *wait; /* a thread's; fixed */
        SQ__ATOMIC(uintptr_t) place; /* a deferred task's (withdraw.h): SQ__NOT_SUBMITTED or SQ__OVER while it is in the list */
    };
    const void *caller; /* of a deferred task: its call site; fixed */
} seeker_t;

/* The seeker is in the list. False: it is a deferred task. */
static bool is_thread(const seeker_t *seeker) {
    uintptr_t place = sq__load_relaxed(&seeker->place);
    return place != SQ__NOT_SUBMITTED && place != SQ__OVER;
}

/* The link points here from the moment a deferred task gets room until its `decided` call. */
static seeker_t *being_submitted;

_Static_assert(sizeof(seeker_t) <= sizeof ((sq_deferred_t *)0)->reserved, "what is reserved must hold a seeker");

static seeker_t *seeker_in(sq_deferred_t *task) { return (seeker_t *)task->reserved; }

static sq_deferred_t *task_of(seeker_t *seeker) {
    return SQ__CONTAINER(seeker, sq_deferred_t, reserved);
}

/* Fields: F fixed after creation, M under the mutex. */
struct sq__capacity {
    sq__room_t base;   /* the first field: the queue points to it */
    sq__mutex_t mutex; /* F  taken only if somebody waits, or is about to */
    seeker_t *first;   /* M  threads and tasks that wait for room, in order */
    seeker_t **end;    /* M */
    bool closed;       /* M */
    sq__room_count_t count; /* WAITED is set while the list is not empty */
};

sq__capacity_t *sq__capacity(sq__room_t *room) { return (sq__capacity_t *)room; }

sq__room_t *sq__capacity_create(size_t room, void (*give)(sq_queue_t *, sq__room_t *)) {
    sq__capacity_t *capacity = sq__memory_lines(sizeof *capacity);
    if (capacity == NULL) {
        return NULL;
    }
    *capacity = (sq__capacity_t){ .base.give = give, .count.size = room };
    capacity->end = &capacity->first;
    sq__store_relaxed(&capacity->base.references, 1);
    if (sq__mutex_init(&capacity->mutex) != 0) {
        sq__memory_free(capacity);
        return NULL;
    }
    return &capacity->base;
}

void sq__capacity_release(sq__room_t *room) {
    /* [reference] release: our use of it; acquire, if it was the last reference: all other uses. */
    if (sq__sub_acq_rel(&room->references, 1) == 1) {
        sq__capacity_t *capacity = sq__capacity(room);
        sq__mutex_destroy(&capacity->mutex);
        sq__memory_free(capacity);
    }
}

/* M. Returns false if it is not in the list. */
static bool remove_seeker(sq__capacity_t *capacity, seeker_t *seeker) {
    if (seeker->link == NULL || seeker->link == &being_submitted) {
        return false;
    }
    SQ__LIST_REMOVE_FROM(capacity->end, seeker);
    if (capacity->first == NULL) {
        sq__room_nobody_waits(&capacity->count);
    }
    return true;
}

static seeker_t *pop(sq__capacity_t *capacity) {
    seeker_t *seeker = capacity->first;
    if (seeker != NULL) {
        remove_seeker(capacity, seeker);
    }
    return seeker;
}

/* Takes one room, without a wait. Returns 0, ESHUTDOWN, or EAGAIN: there is none, or others wait. */
static int try_to_take(sq__capacity_t *capacity) {
    if (sq__room_take(&capacity->count)) {
        return 0; /* if the queue is shut down, it has no slot, and the room is given back */
    }
    sq__mutex_lock(&capacity->mutex);
    int error = capacity->closed ? ESHUTDOWN : sq__room_take(&capacity->count) ? 0 : EAGAIN;
    sq__mutex_unlock(&capacity->mutex);
    return error;
}

/* Takes one room, or puts the seeker at the end of the list. Returns 0, ESHUTDOWN, or EAGAIN: it is in the list. */
static int take_or_join(sq__capacity_t *capacity, seeker_t *seeker) {
    int error = 0;
    sq__mutex_lock(&capacity->mutex);
    if (capacity->closed) {
        error = ESHUTDOWN;
    } else if (capacity->first != NULL || !sq__room_wait_or_take(&capacity->count)) {
        SQ__LIST_APPEND(capacity->end, seeker);
        error = EAGAIN;
    }
    sq__mutex_unlock(&capacity->mutex);
    return error;
}

/* The calling thread is in a task. True: in what a concurrent queue runs with the baton in hand. */
static bool has_baton_of(const sq_queue_t *queue) {
    const sq__reader_t *reader = sq__reader_now();
    return reader != NULL && reader->has_baton && reader->frame.owner == queue;
}

/* There was no room. Waits until the submission's deadline. Returns as sq__capacity_take_room, except EAGAIN; takes the mutex. */
static int wait_for_room(sq_queue_t *queue, const sq__submission_t *submission) {
    sq__capacity_t *capacity = sq__capacity(queue->room);
    if (sq__is_current(queue) && (!sq__is_concurrent(queue) || sq__is_in_barrier(queue) || has_baton_of(queue))) {
        sq__deadlock_onto_itself(queue, SQ__AIM_ROOM, "waiting for room in", submission->site);
        return EDEADLK;
    }
    sq__wait_t wait = { .queue = queue, .aim = SQ__AIM_ROOM, .site = submission->site };
    seeker_t seeker = { .wait = &wait };
    int error = sq__wait_begin(&wait, false);
    if (error) {
        return error;
    }
    /* On one processor the scheduler charges a thread for yielding: then the runner would take the processor from it at each of its next tasks. */
    wait.is_next = false;
    error = take_or_join(capacity, &seeker);
    if (error != EAGAIN) {
        sq__wait_cancel(&wait);
    } else {
        error = sq__wait_end(&wait, submission->deadline);
    }
    if (error == ETIMEDOUT || error == EDEADLK) {
        sq__mutex_lock(&capacity->mutex);
        remove_seeker(capacity, &seeker);
        sq__mutex_unlock(&capacity->mutex);
    }
    return error;
}

int sq__capacity_take_room(sq_queue_t *queue, const sq__submission_t *submission) {
    sq__capacity_t *capacity = sq__capacity(queue->room);
    int error = try_to_take(capacity);
    if (error == EAGAIN && sq__self()->explored != NULL) {
        sq__explored_pause("finds no room in", queue->label, NULL); /* the queue might have run some of its tasks by now */
        error = try_to_take(capacity);
    }
    return error == EAGAIN && submission->deadline != SQ_NOW ? wait_for_room(queue, submission) : error;
}

int sq__capacity_take_room_for(sq__capacity_t *capacity, sq_deferred_t *task) {
    int error = sq__room_take(&capacity->count) ? 0 : take_or_join(capacity, seeker_in(task));
    return error == EAGAIN ? EINPROGRESS : error;
}

bool sq__capacity_withdraw(sq_queue_t *queue, sq_deferred_t *task) {
    sq__capacity_t *capacity = sq__capacity(queue->room);
    seeker_t *seeker = seeker_in(task);
    if (sq__queue_is_stale(queue)) { /* at the fork another thread may have held the mutex and been changing the list, so neither is used */
        bool waited = seeker->link != NULL && seeker->link != &being_submitted;
        seeker->link = NULL;
        return waited;
    }
    sq__mutex_lock(&capacity->mutex);
    bool waited = remove_seeker(capacity, seeker);
    sq__mutex_unlock(&capacity->mutex);
    return waited;
}

void sq__capacity_prepare(sq_deferred_t *task, uintptr_t place, const void *caller) {
    seeker_t *seeker = seeker_in(task);
    *seeker = (seeker_t){ .caller = caller };
    sq__store_relaxed(&seeker->place, place);
}

const void *sq__capacity_caller(sq_deferred_t *task) { return seeker_in(task)->caller; }

SQ__ATOMIC(uintptr_t) *sq__capacity_place(sq_deferred_t *task) { return &seeker_in(task)->place; }

bool sq__capacity_is_decided(sq_queue_t *queue, sq_deferred_t *task) {
    if (sq__queue_is_stale(queue)) {
        return false; /* as in sq__capacity_withdraw */
    }
    sq__capacity_t *capacity = sq__capacity(queue->room);
    sq__mutex_lock(&capacity->mutex);
    bool is_decided = seeker_in(task)->link == NULL;
    sq__mutex_unlock(&capacity->mutex);
    return is_decided;
}

void sq__capacity_submitted(sq__capacity_t *capacity, sq_deferred_t *task) {
    sq__mutex_lock(&capacity->mutex);
    seeker_in(task)->link = NULL;
    sq__mutex_unlock(&capacity->mutex);
}

/* M. The seeker was just taken off the list. True: it has got the room; *task: itself, if it is a deferred task. False: it has withdrawn. */
static bool grant_room(seeker_t *seeker, sq_deferred_t **task) {
    if (!is_thread(seeker)) {
        *task = task_of(seeker);
        seeker->link = &being_submitted;
        return true;
    }
    return sq__token_grant(seeker->wait->token, seeker->wait->wait_id);
}

sq_deferred_t *sq__capacity_give_room(sq__capacity_t *capacity) {
    seeker_t *seeker;
    sq_deferred_t *task = NULL;
    if (sq__room_give(&capacity->count)) {
        return NULL;
    }
    sq__mutex_lock(&capacity->mutex);
    do {
        seeker = pop(capacity);
    } while (seeker != NULL && !grant_room(seeker, &task));
    if (seeker == NULL) {
        (void)sq__room_give(&capacity->count); /* the list is empty */
    } else if (task == NULL) {
        sq__spin_was_vain(SQ__SPIN_WORKER_YIELD); /* worker.h */
    }
    sq__mutex_unlock(&capacity->mutex);
    return task;
}

/* M. Refuses all threads first, so that they do not wait for the `decided` functions of deferred tasks in front of them. */
static void refuse_threads(sq__capacity_t *capacity) {
    for (seeker_t *next, *seeker = capacity->first; seeker != NULL; seeker = next) {
        next = seeker->next;
        if (is_thread(seeker)) {
            remove_seeker(capacity, seeker);
            sq__token_refuse(seeker->wait->token, seeker->wait->wait_id);
        }
    }
}

sq_deferred_t *sq__capacity_close(sq__capacity_t *capacity) {
    sq__mutex_lock(&capacity->mutex);
    if (!capacity->closed) {
        capacity->closed = true;
        refuse_threads(capacity);
    }
    seeker_t *seeker = pop(capacity);
    sq__mutex_unlock(&capacity->mutex);
    return seeker != NULL ? task_of(seeker) : NULL;
}
