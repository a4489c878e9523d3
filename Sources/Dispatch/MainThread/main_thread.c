#define _GNU_SOURCE /* syscall */
#include "sq_main_thread.h"

#include <pthread.h>
#include <unistd.h>
#ifndef __APPLE__
#include <sys/syscall.h>
#endif

/* Fixed before main, and in the child of a fork. NULL: not known. */
static struct sq__owner *main_thread;

static void forget(void) { main_thread = NULL; } /* in a child another thread may be the main one */

/* Constructors run on the main thread, unless another thread loads the library later. */
static __attribute__((constructor)) void know_main_thread(void) {
    if (sq_main_thread_is_current()) {
        main_thread = sq__loop_owner();
        (void)pthread_atfork(NULL, NULL, forget);
    }
}

_Bool sq_main_thread_is_current(void) {
#ifdef __APPLE__
    return pthread_main_np() != 0;
#else
    return syscall(SYS_gettid) == getpid();
#endif
}

void sq_main_thread_take(sq_pool_t *loop) {
    if (main_thread != NULL) {
        (void)sq__pool_own_as(loop, main_thread);
    }
}
