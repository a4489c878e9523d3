/* await.c: waits without a thread, of all kinds. The later one of the thread that made it and the wait itself frees it. */
#include "storm.h"

await_t *await_new(void (*ended)(sq_await_t *wait)) {
    await_t *await = calloc(1, sizeof *await);
    MUST(await != NULL, "no memory for the storm itself");
    await->wait.ended = ended;
    await->users = 2;
    open_notes += 1;
    return await;
}

void await_drop(await_t *await) {
    if (atomic_fetch_sub(&await->users, 1) == 1) {
        sq_item_release(await->item);
        free(await);
        open_notes -= 1;
    }
}

/* By the thread that made it, after the call: the wait has ended, or it lasts, perhaps until this thread withdraws it. */
void await_started(await_t *await, int error, bool (*withdraw)(await_t *await), self_t *me) {
    MUST(error == 0 || error == EINPROGRESS || (error == ECANCELED && await->item != NULL), "an await returned %d", error);
    bool has_ended = error != EINPROGRESS;
    if (!has_ended && below(&me->chance, 3) == 0) {
        yield_for(&me->chance);
        has_ended = withdraw(await);
    }
    if (has_ended) {
        await_drop(await); /* for the wait, which will not call */
    }
    await_drop(await);
}
