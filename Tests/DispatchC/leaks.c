/* leaks.c: objects that are released while they are used, 200 times; each must end, and LeakSanitizer finds nothing. */
#include <dispatch/dispatch.h>
#include <stdlib.h>

static const char key;

static void ended(void *semaphore) {
    dispatch_semaphore_signal((dispatch_semaphore_t)semaphore);
}

static void nothing(void *unused) {
    (void)unused;
}

static void note_end(dispatch_object_t object, dispatch_semaphore_t ends) {
    dispatch_set_context(object, ends);
    dispatch_set_finalizer_f(object, ended);
}

static void round_of(int i, dispatch_semaphore_t ends) {
    dispatch_queue_t target = dispatch_queue_create("target", NULL);
    dispatch_queue_t queue = dispatch_queue_create_with_target("queue", DISPATCH_QUEUE_CONCURRENT, target);
    dispatch_queue_set_specific(queue, &key, ends, ended);
    note_end((dispatch_object_t){ ._dq = queue }, ends);
    dispatch_async_f(queue, NULL, nothing);
    dispatch_barrier_async_f(queue, NULL, nothing);
    dispatch_group_t group = dispatch_group_create();
    dispatch_group_async_f(group, queue, NULL, nothing);
    note_end((dispatch_object_t){ ._dg = group }, ends);
    dispatch_release(group);
    dispatch_source_t source = dispatch_source_create(DISPATCH_SOURCE_TYPE_TIMER, 0, 0, queue);
    note_end((dispatch_object_t){ ._ds = source }, ends);
    dispatch_source_set_event_handler_f(source, nothing);
    dispatch_source_set_timer(source, DISPATCH_TIME_NOW, 1000000, 0);
    if (i % 2) {
        dispatch_activate(source);
    }
    if (i % 3) {
        dispatch_suspend(source);
    }
    dispatch_release(source);
    dispatch_release(queue);
    dispatch_release(target);
    for (int end = 0; end < 4; end += 1) {
        if (dispatch_semaphore_wait(ends, dispatch_time(DISPATCH_TIME_NOW, 30 * (int64_t)NSEC_PER_SEC)) != 0) {
            abort();
        }
    }
}

int main(void) {
    dispatch_semaphore_t ends = dispatch_semaphore_create(0);
    for (int i = 0; i < 200; i += 1) {
        round_of(i, ends);
    }
    dispatch_release(ends);
    return 0;
}
