/* dispatch.c: a program for libdispatch, which knows nothing of this library. */
#include <dispatch/dispatch.h>
#include <stdio.h>
#include <stdlib.h>

static void add(void *sum) {
    *(int *)sum += 1;
}

static void finish(void *sum) {
    printf("%d on the main thread\n", *(int *)sum);
    exit(*(int *)sum != 1000);
}

int main(void) {
    static int sum;
    dispatch_queue_t queue = dispatch_queue_create("sum", NULL);
    dispatch_group_t group = dispatch_group_create();
    for (int i = 0; i < 1000; i += 1) {
        dispatch_group_async_f(group, queue, &sum, add);
    }
    dispatch_group_notify_f(group, dispatch_get_main_queue(), &sum, finish);
    dispatch_release(group);
    dispatch_release(queue);
    dispatch_main();
}
