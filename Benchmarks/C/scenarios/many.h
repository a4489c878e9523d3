/* many.h: groups, semaphores, onces and work items, in the two libraries that have them. One thread, one queue; everything is
 * uncontended, except for the queue's own thread.
 *
 * Rows: scenario | figure | bar and goal | title | how often
 *   group-enter  | wall | 0.6 0.4  | group: enter and leave
 *   group-async  | wall | 0.65 0.4 | group: 10,000 async, then wait
 *   group-notify | wall | 0.4 0.2  | group: enter, notify, leave, then sync
 *   group-wake   | wall | 1.1 0.8  | group: the same, then sleep until the notification has run
 *   semaphore    | wall | 0.9 0.6  | semaphore: signal and wait
 *   once         | wall | 2 0.5 ns; one 2 0.5 ns; busy 2 0.5 ns | once that is done
 *   item-run     | wall | 0.3 0.15 | work item: create, submit, wait, release
 *   item-cancel  | wall | 0.5 0.25 | work item: create, submit, cancel, release
 *   item-cancel  | left | 40 32 B  | what a cancelled work item leaves in its queue
 */
#if defined(CONTENDER_OURS)
#define HAS_MANY
typedef sq_group_t *group_type;
typedef sq_semaphore_t *semaphore_type;
typedef sq_once_t once_type;
typedef sq_item_t *item_type;
static void many_must(int error) { if (error) bench_fail("A call of a group, semaphore or item failed."); }
static group_type group_make(void) { return sq_group_create("bench"); }
static void group_in(group_type group) { many_must(sq_group_enter(group)); }
static void group_out(group_type group) { many_must(sq_group_leave(group)); }
static void group_run(group_type group, contender_queue_t queue, const bench_task_t *task) {
    many_must(sq_group_async(group, queue, task->function, task->context));
}
static void group_notification(group_type group, contender_queue_t queue, const bench_task_t *task) {
    many_must(sq_group_notify(group, queue, &(sq_task_t){ task->function, task->context, NULL }));
}
static void group_end(group_type group) { many_must(sq_group_wait(group, SQ_FOREVER)); }
static semaphore_type semaphore_make(void) { return sq_semaphore_create("bench", 0); }
static void semaphore_up(semaphore_type semaphore) { many_must(sq_semaphore_signal(semaphore)); }
static void semaphore_down(semaphore_type semaphore) { many_must(sq_semaphore_wait(semaphore, SQ_FOREVER)); }
static void once_do(once_type *once, const bench_task_t *task) { many_must(sq_once(once, task->function, task->context)); }
static item_type item_make(const bench_task_t *task) { return sq_item_create("", &(sq_task_t){ task->function, task->context, NULL }); }
static void item_submit(item_type item, contender_queue_t queue) { many_must(sq_item_submit(item, queue)); }
static void item_end(item_type item) { many_must(sq_item_wait(item, SQ_FOREVER)); }
static void item_cancel(item_type item) { many_must(sq_item_cancel(item)); }
static void item_free(item_type item) { sq_item_release(item); }
static void queue_hold(contender_queue_t queue) { many_must(sq_suspend(queue)); }
#elif defined(CONTENDER_LIBDISPATCH)
#define HAS_MANY
typedef dispatch_group_t group_type;
typedef dispatch_semaphore_t semaphore_type;
typedef dispatch_once_t once_type;
typedef dispatch_block_t item_type;
void _Block_release(const void *block); /* of Block.h, which the toolchain does not have for C */
static group_type group_make(void) { return dispatch_group_create(); }
static void group_in(group_type group) { dispatch_group_enter(group); }
static void group_out(group_type group) { dispatch_group_leave(group); }
static void group_run(group_type group, contender_queue_t queue, const bench_task_t *task) {
    dispatch_group_async_f(group, queue, task->context, task->function);
}
static void group_notification(group_type group, contender_queue_t queue, const bench_task_t *task) {
    dispatch_group_notify_f(group, queue, task->context, task->function);
}
static void group_end(group_type group) { dispatch_group_wait(group, DISPATCH_TIME_FOREVER); }
static semaphore_type semaphore_make(void) { return dispatch_semaphore_create(0); }
static void semaphore_up(semaphore_type semaphore) { dispatch_semaphore_signal(semaphore); }
static void semaphore_down(semaphore_type semaphore) { dispatch_semaphore_wait(semaphore, DISPATCH_TIME_FOREVER); }
static void once_do(once_type *once, const bench_task_t *task) { dispatch_once_f(once, task->context, task->function); }
static item_type item_make(const bench_task_t *task) {
    const bench_function_t function = task->function;
    void *const context = task->context;
    return dispatch_block_create((dispatch_block_flags_t)0, ^{ function(context); });
}
static void item_submit(item_type item, contender_queue_t queue) { dispatch_async(queue, item); }
static void item_end(item_type item) { dispatch_block_wait(item, DISPATCH_TIME_FOREVER); }
static void item_cancel(item_type item) { dispatch_block_cancel(item); }
static void item_free(item_type item) { _Block_release(item); }
static void queue_hold(contender_queue_t queue) { dispatch_suspend(queue); }
#endif

#ifdef HAS_MANY
/* What all of them use. The task counts. */
typedef struct many {
    contender_queue_t queue;
    group_type group;
    bench_slot_t *counted;
    bench_task_t task;
    bench_meter_t meter;
    uint64_t end;
} many_t;

static many_t many_begin(void) {
    many_t many = { contender_create(), group_make(), bench_slots(1), { bench_count_up, NULL }, { 0 }, 0 };
    many.task.context = &many.counted->value;
    many.end = bench_now() + bench_duration(400000000);
    return many;
}

static void many_end(many_t *many, uint64_t counted) {
    bench_expect("tasks that ran", many->counted->value, counted);
    bench_report(&many->meter);
}

static void many_group_enter(uint64_t unused) {
    many_t many = many_begin();
    uint64_t done = 0;
    (void)unused;
    bench_start(&many.meter);
    while (bench_now() < many.end) {
        for (int i = 0; i < 1000; ++i, ++done) {
            group_in(many.group);
            group_out(many.group);
        }
    }
    bench_stop(&many.meter, done);
    many_end(&many, 0);
}

static void many_group_async(uint64_t unused) {
    many_t many = many_begin();
    uint64_t done = 0;
    (void)unused;
    bench_start(&many.meter);
    while (bench_now() < many.end) {
        for (int i = 0; i < 10000; ++i, ++done) group_run(many.group, many.queue, &many.task);
        group_end(many.group);
    }
    bench_stop(&many.meter, done);
    many_end(&many, done);
}

static void many_group_notify(uint64_t unused) {
    many_t many = many_begin();
    uint64_t done = 0;
    (void)unused;
    bench_start(&many.meter);
    while (bench_now() < many.end) {
        for (int i = 0; i < 16; ++i, ++done) {
            group_in(many.group);
            group_notification(many.group, many.queue, &many.task);
            group_out(many.group);
            contender_sync(many.queue, &many.task);
        }
    }
    bench_stop(&many.meter, done);
    many_end(&many, 2 * done);
}

static void many_group_wake(uint64_t unused) {
    many_t many = many_begin();
    bench_countdown_t *countdown = bench_countdown_create();
    uint64_t done = 0;
    (void)unused;
    many.task.function = bench_count_and_open;
    many.task.context = countdown;
    bench_start(&many.meter);
    while (bench_now() < many.end) {
        countdown->target = ++done;
        group_in(many.group);
        group_notification(many.group, many.queue, &many.task);
        group_out(many.group);
        bench_gate_pass(countdown->gate);
    }
    bench_stop(&many.meter, done);
    many_end(&many, 0);
}

static void many_semaphore(uint64_t unused) {
    many_t many = many_begin();
    semaphore_type semaphore = semaphore_make();
    uint64_t done = 0;
    (void)unused;
    bench_start(&many.meter);
    while (bench_now() < many.end) {
        for (int i = 0; i < 1000; ++i, ++done) {
            semaphore_up(semaphore);
            semaphore_down(semaphore);
        }
    }
    bench_stop(&many.meter, done);
    many_end(&many, 0);
}

static void many_once(uint64_t unused) {
    static once_type once;
    many_t many = many_begin();
    uint64_t done = 0;
    (void)unused;
    bench_start(&many.meter);
    while (bench_now() < many.end) {
        for (int i = 0; i < 10000; ++i, ++done) {
            __asm__ volatile("" ::: "memory"); /* looked at anew each time */
            once_do(&once, &many.task);
        }
    }
    bench_stop(&many.meter, done);
    many_end(&many, 1);
}

static void many_item_run(uint64_t unused) {
    many_t many = many_begin();
    uint64_t done = 0;
    (void)unused;
    bench_start(&many.meter);
    while (bench_now() < many.end) {
        for (int i = 0; i < 16; ++i, ++done) {
            item_type item = item_make(&many.task);
            item_submit(item, many.queue);
            item_end(item);
            item_free(item);
        }
    }
    bench_stop(&many.meter, done);
    many_end(&many, done);
}

/* The queue is suspended: what cancelled items leave there adds up. */
static void many_item_cancel(uint64_t unused) {
    many_t many = many_begin();
    uint64_t done = 0, heap;
    (void)unused;
    queue_hold(many.queue);
    contender_async(many.queue, &many.task);
    heap = bench_heap_bytes();
    bench_start(&many.meter);
    for (int i = 0; i < 300000; ++i, ++done) {
        item_type item = item_make(&many.task);
        item_submit(item, many.queue);
        item_cancel(item);
        item_free(item);
    }
    bench_stop(&many.meter, done);
    bench_metric("left", (double)(bench_heap_bytes() - heap) / (double)done);
    many_end(&many, 0);
}

BENCH_SCENARIO("group-enter", 0, many_group_enter)
BENCH_SCENARIO("group-async", 0, many_group_async)
BENCH_SCENARIO("group-notify", 0, many_group_notify)
BENCH_SCENARIO("group-wake", 0, many_group_wake)
BENCH_SCENARIO("semaphore", 0, many_semaphore)
BENCH_SCENARIO("once", 0, many_once)
BENCH_SCENARIO("item-run", 0, many_item_run)
BENCH_SCENARIO("item-cancel", 0, many_item_cancel)
#endif
