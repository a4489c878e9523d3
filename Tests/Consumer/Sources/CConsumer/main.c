/* The C core alone, through SwiftPM: no Swift, no other library. */
#include <serial_queue.h>
#include <stdio.h>

static void count(void *context) { *(int *)context += 1; }

static void read_count(void *context)
{
    int **out = context;
    *out[1] = *out[0];
}

int main(void)
{
    int counted = 0, seen = 0;
    int *pair[2] = {&counted, &seen};
    sq_queue_t *queue = sq_queue_create("com.example.count", NULL);
    if (queue == NULL) {
        return 1;
    }
    for (int i = 0; i < 1000; i += 1) {
        if (sq_async(queue, count, &counted) != 0) {
            return 1;
        }
    }
    if (sq_sync(queue, read_count, pair) != 0 || seen != 1000) {
        return 1;
    }
    sq_queue_release(queue);
    puts("c-consumer: 1000 tasks");
    return 0;
}
