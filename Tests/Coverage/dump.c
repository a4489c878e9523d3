/* dump.c: the counters of a process that ends without exit().
 *
 * DESIGN. gcov writes its counters when the process exits. Tests that are about a process's bad end (abort) and children of a
 * fork (_exit) would lose theirs: the test programs are linked with --wrap for both, and write them first. The child of a
 * fork begins with counters of zero, or those of its parent would count twice; that has to happen before the core's own
 * handler for the child runs, so it is registered first (the priority), and handlers for the child run in that order. */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

void __gcov_dump(void);
void __gcov_reset(void);
_Noreturn void __real_abort(void);
_Noreturn void __real__exit(int status);
_Noreturn void __wrap_abort(void);
_Noreturn void __wrap__exit(int status);

/* A dump writes what was counted since the last one only if the counters are put back in between. */
static void dump(void) {
    __gcov_dump();
    __gcov_reset();
}

void __wrap_abort(void) {
    dump();
    __real_abort();
}

void __wrap__exit(int status) {
    dump();
    __real__exit(status);
}

static __attribute__((constructor(101))) void watch_forks(void) { pthread_atfork(NULL, NULL, __gcov_reset); }
