/* self_list_test.c: the list of the threads that use the library, which a dump visits, and what is left of it in the child of a fork. */
#include "child.h"
#include "harness.h"
#include "inject.h"
#include "latch.h"

#include "thread/self.h"

#include <limits.h>

#define PATIENT (&(sq__patience_t){ .tries = UINT_MAX })
#define IMPATIENT (&(sq__patience_t){ .tries = 0 })

typedef struct visit {
    latch_t stands, leave;
    size_t count;
    const sq__self_t *last;
} visit_t;

static bool stand_at_first(void *context, const sq__self_t *at, const sq__self_t *copy) {
    visit_t *visit = context;
    (void)at;
    (void)copy;
    latch_bump(&visit->stands);
    latch_wait(&visit->leave, 1);
    return false;
}

static bool count_threads(void *context, const sq__self_t *at, const sq__self_t *copy) {
    visit_t *visit = context;
    (void)copy;
    visit->count += 1;
    visit->last = at;
    return visit->count < 100;
}

static void *visit_and_stand(void *visit) {
    CHECK(sq__self_visit(PATIENT, stand_at_first, visit));
    return NULL;
}

TEST(a_visit_that_does_not_get_the_lock_leaves_it_alone) {
    visit_t first = { LATCH_INIT, LATCH_INIT, 0, NULL }, other = first;
    (void)sq__self_listed();
    CHECK(sq__self_visit(PATIENT, count_threads, &other));
    pthread_t thread = spawn(visit_and_stand, &first);
    latch_wait(&first.stands, 1);
    for (int i = 0; i < 2; i += 1) {
        CHECK(!sq__self_visit(IMPATIENT, count_threads, &other));
    }
    latch_bump(&first.leave);
    join(thread);
    CHECK(sq__self_visit(PATIENT, count_threads, &other));
}

/* In the child of a fork there is one thread. It forks between one that is listed before it and one that is listed after it. */
typedef struct family {
    bool is_listed; /* the one that forks */
    sq__self_t **first; /* what points to the first thread of the list */
    latch_t listed, younger, over;
    int status;
} family_t;

static void *list_and_stay(void *context) {
    family_t *family = context;
    latch_wait(&family->listed, 1);
    family->first = sq__self_listed()->link;
    latch_bump(&family->younger);
    latch_wait(&family->over, 1);
    return NULL;
}

static int visit_in_child(void *context) {
    const family_t *family = context;
    const sq__self_t *self = sq__self();
    visit_t visit = { .count = 0 };
    bool good = CHECK(sq__self_visit(PATIENT, count_threads, &visit));
    good &= CHECK_EQUAL(visit.count, family->is_listed);
    good &= CHECK_EQUAL(self->link != NULL, family->is_listed);
    if (family->is_listed) {
        good &= CHECK(visit.last == self);
        good &= CHECK(self->link == family->first);
        good &= CHECK_EQUAL(self->thread_id, gettid());
    }
    return good ? 0 : 1;
}

static void *fork_between(void *context) {
    family_t *family = context;
    if (family->is_listed) {
        (void)sq__self_listed();
    }
    latch_bump(&family->listed);
    latch_wait(&family->younger, 1);
    family->status = in_fork(visit_in_child, family);
    return NULL;
}

TEST(the_child_of_a_fork_lists_the_thread_that_forked_alone) {
    for (int is_listed = 0; is_listed < 2 && !fork_left_out(); is_listed += 1) {
        family_t family = { is_listed, NULL, LATCH_INIT, LATCH_INIT, LATCH_INIT, -1 };
        (void)sq__self_listed();
        pthread_t younger = spawn(list_and_stay, &family);
        join(spawn(fork_between, &family));
        CHECK_EQUAL(family.status, 0);
        latch_bump(&family.over);
        join(younger);
    }
}
