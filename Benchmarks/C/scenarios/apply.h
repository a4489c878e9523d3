/* apply.h: a loop on several threads.
 *
 * Rows: scenario | figure | bar and goal | title | how often
 *   apply-1000000 | wall | 1.0 0.5 | apply, per iteration | times 3
 *   apply-call    | wall | 1.0 0.5 | apply, per call of two
 */
#if defined(CONTENDER_OURS)
#define HAS_APPLY
static void apply(size_t count, void (*iteration)(void *, size_t), void *context) {
    if (sq_apply(NULL, count, iteration, context) != 0) bench_fail("sq_apply failed.");
}
#elif defined(CONTENDER_LIBDISPATCH)
#define HAS_APPLY
static void apply(size_t count, void (*iteration)(void *, size_t), void *context) {
    dispatch_apply_f(count, dispatch_get_global_queue(DISPATCH_QUEUE_PRIORITY_DEFAULT, 0), context, iteration);
}
#endif

#ifdef HAS_APPLY
static __thread uint64_t applied; /* keeps the iterations from being nothing, and shares nothing between threads */

static void iterate(void *unused, size_t index) {
    (void)unused, (void)index;
    ++applied;
}

static void mark(void *marks, size_t index) { ++((unsigned char *)marks)[index]; }

/* Not measured: each index once. */
static void check_apply(size_t count) {
    unsigned char *marks = (unsigned char *)calloc(count, 1);
    uint64_t right = 0;
    if (!marks) bench_fail("there is no memory.");
    apply(count, mark, marks);
    for (size_t i = 0; i < count; ++i) right += marks[i] == 1;
    free(marks);
    bench_expect("iterations that ran once", right, count);
}

/* Loops of `count` empty iterations; per iteration. */
static void apply_long(uint64_t count) {
    bench_meter_t meter = { 0 };
    check_apply(count);
    for (int i = 0; i < 3 || meter.wall < bench_duration(300000000); ++i) {
        bench_meter_t *measured = &meter, warm_up = { 0 };
        if (i == 0) measured = &warm_up;
        bench_start(measured);
        apply(count, iterate, NULL);
        bench_stop(measured, count);
    }
    bench_report(&meter);
}

/* Loops of two empty iterations, one after the other; per loop. */
static void apply_call(uint64_t unused) {
    enum { BATCH = 1000 };
    uint64_t called = 0;
    bench_meter_t meter = { 0 };
    (void)unused;
    check_apply(2);
    for (int i = 0; i < BATCH; ++i) apply(2, iterate, NULL);
    uint64_t end = bench_now() + bench_duration(300000000);
    bench_start(&meter);
    do {
        for (int i = 0; i < BATCH; ++i) apply(2, iterate, NULL);
        called += BATCH;
    } while (bench_now() < end);
    bench_stop(&meter, called);
    bench_report(&meter);
}

BENCH_SCENARIO("apply", 0, apply_long) /* iterations */
BENCH_SCENARIO("apply-call", 0, apply_call)
#endif
