#include "queue/bound.h"

#include "platform/memory.h"
#include "platform/mutex.h"
#include "queue/current.h"
#include "queue/deadlock.h"
#include "queue/wait.h"

#include <errno.h>

typedef struct seeker {
    struct seeker *next;
    sq__wait_t wait;
} seeker_t;

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
    *bound->end = seeker;
    bound->end = &seeker->next;
}

static void remove_seeker(sq__bound_t *bound, const seeker_t *seeker) {
    for (seeker_t **link = &bound->first; *link != NULL; link = &(*link)->next) {
        if (*link == seeker) {
            *link = seeker->next;
            if (bound->end == &seeker->next) {
                bound->end = link;
            }
            return;
        }
    }
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
    seeker_t seeker;
    int error = sq__wait_begin(&seeker.wait, queue);
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
        sq__wait_cancel(&seeker.wait);
        return error;
    }
    error = sq__wait_end(&seeker.wait, deadline);
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

void sq__bound_give_room(sq__bound_t *bound) {
    seeker_t *seeker;
    sq__mutex_lock(&bound->mutex);
    do {
        seeker = pop(bound); /* one that has withdrawn is passed over; it finds itself gone from the list */
    } while (seeker != NULL && !sq__token_grant(seeker->wait.token, seeker->wait.turn));
    if (seeker == NULL) {
        bound->room += 1;
    }
    sq__mutex_unlock(&bound->mutex);
}

void sq__bound_close(sq__bound_t *bound) {
    sq__mutex_lock(&bound->mutex);
    bound->closed = true;
    for (seeker_t *seeker = pop(bound); seeker != NULL; seeker = pop(bound)) {
        sq__token_refuse(seeker->wait.token, seeker->wait.turn);
    }
    sq__mutex_unlock(&bound->mutex);
}
