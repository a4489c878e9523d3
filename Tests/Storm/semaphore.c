/* semaphore.c: permits that are taken by threads and by awaits, and given back at once or later. */
#include "storm.h"

sq_semaphore_t *semaphores[SEMAPHORES];

static int permits[SEMAPHORES]; /* that there are in all */
static atomic_int holders[SEMAPHORES];

void semaphores_begin(chance_t *chance) {
    for (int i = 0; i < SEMAPHORES; i += 1) {
        permits[i] = i == 0 ? 0 : 1 + (int)below(chance, 2); /* one is never free before the end */
        holders[i] = 0;
        semaphores[i] = sq_semaphore_create("semaphore", (size_t)permits[i]);
        MUST(semaphores[i] != NULL, "a semaphore cannot be made (errno %d)", errno);
    }
}

static void taken(int semaphore) {
    int now = atomic_fetch_add(&holders[semaphore], 1) + 1;
    MUST(now <= permits[semaphore], "%d hold a semaphore of %d permits", now, permits[semaphore]);
}

static void give(int semaphore) {
    holders[semaphore] -= 1;
    int error = sq_semaphore_signal(semaphores[semaphore]);
    MUST(error == 0, "a signal returned %d", error);
}

static void give_later(void *context) {
    give((int)(intptr_t)context);
    left_to_helper -= 1;
}

static void wait_for_permit(self_t *me, int semaphore) {
    sq_time_t deadline = below(&me->chance, 3) == 0 ? SQ_NOW : soon(&me->chance);
    int error = sq_semaphore_wait(semaphores[semaphore], deadline);
    if (error != 0) {
        MUST(error == ETIMEDOUT || (error == EAGAIN && deadline == SQ_NOW), "a wait for a semaphore returned %d", error);
        return;
    }
    taken(semaphore);
    if (below(&me->chance, 2)) {
        give(semaphore);
        return;
    }
    left_to_helper += 1;
    MUST(sq_async_after(helper, below(&me->chance, 500) * MICROSECOND, give_later, (void *)(intptr_t)semaphore) == 0,
         "the helper refuses a task");
}

static void with_permit(sq_await_t *wait) {
    await_t *await = (await_t *)wait;
    taken(await->semaphore);
    give(await->semaphore);
    await_drop(await);
}

static bool withdraw(await_t *await) { return sq_semaphore_withdraw(semaphores[await->semaphore], &await->wait); }

static void await_permit(self_t *me, int semaphore) {
    await_t *await = await_new(with_permit);
    await->semaphore = semaphore;
    int error = sq_semaphore_await(semaphores[semaphore], &await->wait);
    if (error == 0) {
        taken(semaphore);
        give(semaphore);
    }
    await_started(await, error, withdraw, me);
}

void act_semaphore(self_t *me, target_t *target) {
    int semaphore = (int)below(&me->chance, SEMAPHORES);
    (void)target;
    (below(&me->chance, 2) ? wait_for_permit : await_permit)(me, semaphore);
}

/* One permit more for each, which the awaits that are left pass on to each other. */
void semaphores_release_waits(void) {
    for (int i = 0; i < SEMAPHORES; i += 1) {
        permits[i] += 1;
        MUST(sq_semaphore_signal(semaphores[i]) == 0, "a signal failed");
    }
}

void semaphores_check(void) {
    for (int i = 0; i < SEMAPHORES; i += 1) {
        int left = 0;
        while (sq_semaphore_wait(semaphores[i], SQ_NOW) == 0) {
            left += 1;
        }
        MUST(left == permits[i] && holders[i] == 0, "a semaphore of %d permits has %d in the end, and %d holders", permits[i], left,
             holders[i]);
    }
}

void semaphores_end(void) {
    for (int i = 0; i < SEMAPHORES; i += 1) {
        sq_semaphore_release(semaphores[i]);
    }
}
