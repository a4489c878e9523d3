/* main.c: the main thread runs the main queue. */
#include "fail.h"
#include "queue.h"

void dispatch_main(void) {
    if (!sq__dispatch_is_main_thread()) {
        sq__dispatch_fail("dispatch_main", "call it on the main thread.");
    }
    sq__dispatch_will_wait();
    sq__dispatch_core(&_dispatch_main_q);
    pthread_mutex_lock(&sq__dispatch_lock);
    sq_pool_t *pool = sq__dispatch_main_pool();
    pthread_mutex_unlock(&sq__dispatch_lock);
    for (;;) {
        sq__dispatch_check("dispatch_main", sq_pool_run_forever(pool), NULL);
    }
}
