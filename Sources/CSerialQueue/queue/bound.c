#include "queue/bound.h"

#include "platform/memory.h"
#include "platform/mutex.h"
#include "queue/current.h"
#include "queue/deadlock.h"
#include "queue/fork.h"
#include "queue/withdraw.h"
#include "queue/wait.h"

#include <errno.h>

/* Fields: M under the mutex of the bound. */
typedef struct seeker {
    struct seeker *next;  /* M */
    struct seeker **link; /* M  what points at it; NULL: it is not in the list; &being_submitted: it has left it with room */
    union {
        sq__wait_t *wait; /* fixed; of a thread */
        uintptr_t place;  /* withdraw.h; of a deferred task. SQ__NOT_SUBMITTED or SQ__OVER while it is in the list */
    };
} seeker_t;

/* In the list: a thread, or a deferred task. */
static bool is_thread(const seeker_t *seeker) { return seeker->place != SQ__NOT_SUBMITTED && seeker->place != SQ__OVER; }

/* Its address marks a deferred task between the moment it gets room and its `decided`. */
static seeker_t *being_submitted;

_Static_assert(sizeof(seeker_t) <= sizeof ((sq_deferred_t *)0)->reserved, "what is reserved must hold a seeker");

static seeker_t *seeker_in(sq_deferred_t *task) { return (seeker_t *)task->reserved; }

static sq_deferred_t *task_of(seeker_t *seeker) {
    return (sq_deferred_t *)((char *)seeker - offsetof(sq_deferred_t, reserved));
}

/* Fields: F fixed once made, M under the mutex. */
struct sq__bound {
    sq__mutex_t mutex; /* F */
    size_t room;       /* M  0 while somebody seeks */
    seeker_t *first;   /* M  who waits for room, in order */
    seeker_t **end;    /* M */
    bool closed;       /* M */
};

sq__bound_t *sq__bound_create(size_t capacity) {
    sq__bound_t *bound = sq__memory(sizeof *bound);
    if (bound == NULL) {
        return NULL;
    }
    *bound = (sq__bound_t){ .room = capacity };
    bound->end = &bound->first;
    if (sq__mutex_init(&bound->mutex) != 0) {
        sq__memory_free(bound);
        return NULL;
    }
    return bound;
}

void sq__bound_destroy(sq__bound_t *bound) {
    if (bound != NULL) {
        sq__mutex_destroy(&bound->mutex);
        sq__memory_free(bound);
    }
}

static void append(sq__bound_t *bound, seeker_t *seeker) {
    seeker->next = NULL;
    seeker->link = bound->end;
    *bound->end = seeker;
    bound->end = &seeker->next;
}

/* False: it is not in the list. */
static bool remove_seeker(sq__bound_t *bound, seeker_t *seeker) {
    if (seeker->link == NULL || seeker->link == &being_submitted) {
        return false;
    }
    *seeker->link = seeker->next;
    if (seeker->next != NULL) {
        seeker->next->link = seeker->link;
    } else {
        bound->end = seeker->link;
    }
    seeker->link = NULL;
    return true;
}

static seeker_t *pop(sq__bound_t *bound) {
    seeker_t *seeker = bound->first;
    if (seeker != NULL) {
        remove_seeker(bound, seeker);
    }
    return seeker;
}

/* Without waiting: 0, ESHUTDOWN, or EAGAIN. With the mutex. */
static int try_to_take(sq__bound_t *bound) {
    if (bound->closed) {
        return ESHUTDOWN;
    }
    if (bound->room == 0) {
        return EAGAIN;
    }
    bound->room -= 1;
    return 0;
}

static int wait_for_room(sq_queue_t *queue, sq_time_t deadline) {
    sq__bound_t *bound = queue->bound;
    if (sq__is_current(queue)) {
        sq__deadlock_onto_itself(queue, "waiting for room in");
        return EDEADLK;
    }
    sq__wait_t wait;
    seeker_t seeker = { .wait = &wait };
    int error = sq__wait_begin(&wait, queue);
    if (error) {
        return error;
    }
    sq__mutex_lock(&bound->mutex);
    error = try_to_take(bound);
    if (error == EAGAIN) {
        append(bound, &seeker);
    }
    sq__mutex_unlock(&bound->mutex);
    if (error != EAGAIN) {
        sq__wait_cancel(&wait);
        return error;
    }
    error = sq__wait_end(&wait, deadline);
    if (error == ETIMEDOUT || error == EDEADLK) {
        sq__mutex_lock(&bound->mutex);
        remove_seeker(bound, &seeker);
        sq__mutex_unlock(&bound->mutex);
    }
    return error;
}

int sq__bound_take_room(sq_queue_t *queue, sq_time_t deadline) {
    sq__bound_t *bound = queue->bound;
    sq__mutex_lock(&bound->mutex);
    int error = try_to_take(bound);
    sq__mutex_unlock(&bound->mutex);
    return error == EAGAIN && deadline != SQ_NOW ? wait_for_room(queue, deadline) : error;
}

int sq__bound_take_room_for(sq__bound_t *bound, sq_deferred_t *task) {
    seeker_t *seeker = seeker_in(task); /* all zero */
    sq__mutex_lock(&bound->mutex);
    int error = try_to_take(bound);
    if (error == EAGAIN) {
        append(bound, seeker);
        error = EINPROGRESS;
    }
    sq__mutex_unlock(&bound->mutex);
    return error;
}

bool sq__bound_withdraw(sq_queue_t *queue, sq_deferred_t *task) {
    sq__bound_t *bound = queue->bound;
    seeker_t *seeker = seeker_in(task);
    if (sq__fork_is_stale(queue)) { /* a thread of the parent's may have the mutex, and the line half changed: nobody uses it */
        bool waited = seeker->link != NULL && seeker->link != &being_submitted;
        seeker->link = NULL;
        return waited;
    }
    sq__mutex_lock(&bound->mutex);
    bool waited = remove_seeker(bound, seeker);
    sq__mutex_unlock(&bound->mutex);
    return waited;
}

uintptr_t *sq__bound_place(sq_deferred_t *task) { return &seeker_in(task)->place; }

bool sq__bound_is_decided(sq_queue_t *queue, sq_deferred_t *task) {
    if (sq__fork_is_stale(queue)) {
        return false; /* as in sq__bound_withdraw */
    }
    sq__mutex_lock(&queue->bound->mutex);
    bool is_decided = seeker_in(task)->link == NULL;
    sq__mutex_unlock(&queue->bound->mutex);
    return is_decided;
}

void sq__bound_submitted(sq__bound_t *bound, sq_deferred_t *task) {
    sq__mutex_lock(&bound->mutex);
    seeker_in(task)->link = NULL;
    sq__mutex_unlock(&bound->mutex);
}

/* True: the seeker has the room. False: it has withdrawn, and finds itself gone from the list. */
static bool grant_room(seeker_t *seeker, sq_deferred_t **task) {
    if (!is_thread(seeker)) {
        *task = task_of(seeker);
        seeker->link = &being_submitted;
        return true;
    }
    return sq__token_grant(seeker->wait->token, seeker->wait->turn);
}

sq_deferred_t *sq__bound_give_room(sq__bound_t *bound) {
    seeker_t *seeker;
    sq_deferred_t *task = NULL;
    sq__mutex_lock(&bound->mutex);
    do {
        seeker = pop(bound);
    } while (seeker != NULL && !grant_room(seeker, &task));
    if (seeker == NULL) {
        bound->room += 1;
    }
    sq__mutex_unlock(&bound->mutex);
    return task;
}

/* Threads do not wait until a function of the user's, told of a deferred task before them, has returned. */
static void refuse_threads(sq__bound_t *bound) {
    for (seeker_t *next, *seeker = bound->first; seeker != NULL; seeker = next) {
        next = seeker->next;
        if (is_thread(seeker)) {
            remove_seeker(bound, seeker);
            sq__token_refuse(seeker->wait->token, seeker->wait->turn);
        }
    }
}

sq_deferred_t *sq__bound_close(sq__bound_t *bound) {
    sq__mutex_lock(&bound->mutex);
    if (!bound->closed) {
        bound->closed = true;
        refuse_threads(bound);
    }
    seeker_t *seeker = pop(bound);
    sq__mutex_unlock(&bound->mutex);
    return seeker != NULL ? task_of(seeker) : NULL;
}
