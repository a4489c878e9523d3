/* outcomes.c: tasks and waits that end in another way than by running, and tasks that the library calls through functions of its own. */
#include <errno.h>
#include <pthread.h>
#include <serial_queue.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

static sq_queue_t *work, *pool_work, *other;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int held, released;
static atomic_int fired;

static void must(int error) {
    if (error) {
        fprintf(stderr, "outcomes: %s\n", sq_error_text(error));
        exit(1);
    }
}

static void hold(void *context) {
    (void)context;
    pthread_mutex_lock(&mutex);
    held = 1;
    pthread_cond_signal(&changed);
    while (!released) {
        pthread_cond_wait(&changed, &mutex);
    }
    pthread_mutex_unlock(&mutex);
}

static void resize_image(void *context) { (void)context; }
static void load_row(void *context) { (void)context; }
static void member_of_group(void *context) { (void)context; }
static void forget(void *context) { (void)context; }
static void barrier_task(void *context) { (void)context; }
static void due_later(void *context) { (void)context; }
static void all_done(void *context) { (void)context; }
static void never_runs(void *context) { (void)context; }
static void tick(void *context) { (void)context; fired += 1; }
static void in_pair(void *first, void *second, bool runs) { (void)first, (void)second, (void)runs; }
static void thrown_away(void *context) { (void)context; }

/* The loud picture: what was cancelled, and what was refused. */
static void end_otherwise(void) {
    must(sq_async(work, hold, NULL));
    pthread_mutex_lock(&mutex);
    while (!held) {
        pthread_cond_wait(&changed, &mutex);
    }
    pthread_mutex_unlock(&mutex);
    sq_item_t *item = sq_item_create("row 7", &(sq_task_t){ .run = load_row });
    must(sq_item_submit(item, work));
    must(sq_item_cancel(item));
    sq_item_release(item);
    if (sq_sync_until(work, sq_deadline(20000000), never_runs, NULL) != ETIMEDOUT) {
        exit(1);
    }
    pthread_mutex_lock(&mutex);
    released = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&mutex);
}

static atomic_int refused_once;
static sq_timer_t *own_timer;

static void wait_for_itself(void *context) {
    (void)context;
    refused_once += sq_sync(other, never_runs, NULL) == EDEADLK;
    refused_once += sq_run_and_wait(other, SQ_FOREVER, never_runs, NULL) == EDEADLK;
    refused_once += sq_timer_cancel_and_wait(own_timer, SQ_FOREVER) == EDEADLK;
}

static void enter_again(void *once) { refused_once += sq_once(once, never_runs, NULL) == EDEADLK; }

/* What a task asks of its own queue: refused at once, and shown. */
static void be_refused(void) {
    static sq_once_t once = SQ_ONCE_INIT;
    own_timer = sq_timer_create(other, &(sq_task_t){ .run = wait_for_itself });
    must(sq_timer_start(own_timer, 1, 0, 0));
    must(sq_once(&once, enter_again, &once));
    while (refused_once < 4) {
        pthread_mutex_lock(&mutex);
        pthread_mutex_unlock(&mutex);
    }
    sq_timer_release(own_timer);
}

/* A firing that is cancelled when it is in the queue already, and a delayed task that the end of its queue discards. */
static void cancel_timers(void) {
    sq_queue_t *late = sq_queue_create("late", NULL);
    sq_timer_t *timer = sq_timer_create(late, &(sq_task_t){ .run = never_runs });
    must(sq_suspend(late));
    must(sq_timer_start(timer, 1, 0, 0));
    while (sq_queue_depth(late) == 0) {
    }
    must(sq_timer_cancel(timer));
    sq_timer_release(timer);
    must(sq_async_after(late, UINT64_C(3600000000000), never_runs, NULL));
    must(sq_resume(late));
    must(sq_shutdown(late, SQ_SHUTDOWN_DRAIN, SQ_FOREVER));
    sq_queue_release(late);
}

/* Two threads run four iterations: each waits in its first one for the other. */
static atomic_int in_row;
static void blur_row(void *context, size_t i) {
    (void)context, (void)i;
    in_row += 1;
    while (in_row < 2) {
    }
}

static void run_through_the_library(void) {
    sq_group_t *group = sq_group_create("images");
    sq_item_t *item = sq_item_create("row 8", &(sq_task_t){ .run = resize_image });
    sq_item_t *unlabelled = sq_item_create(NULL, &(sq_task_t){ .run = resize_image });
    must(sq_item_submit(item, work));
    must(sq_group_submit_item(group, unlabelled, pool_work));
    must(sq_group_async_task(group, work, &(sq_task_t){ .run = member_of_group, .discard = forget }));
    must(sq_group_async_pair(group, work, in_pair, NULL, NULL));
    must(sq_group_async_barrier_pair(group, pool_work, in_pair, NULL, NULL));
    must(sq_async_barrier(pool_work, barrier_task, NULL));
    must(sq_async_after(work, 1000000, due_later, NULL));
    must(sq_group_notify(group, work, &(sq_task_t){ .run = all_done }));
    must(sq_group_wait(group, SQ_FOREVER));
    must(sq_item_wait(item, SQ_FOREVER));
    must(sq_run_and_wait(other, SQ_FOREVER, load_row, NULL)); /* waits in a place; the runner does it */
    must(sq_sync(other, load_row, NULL)); /* may wait until the runner has left */
    must(sq_sync(other, load_row, NULL)); /* finds the queue free: this thread has given it back */
    sq_timer_t *timer = sq_timer_create(other, &(sq_task_t){ .run = tick });
    must(sq_timer_start(timer, 1000000, 1000000, 0));
    while (fired < 10) {
        pthread_mutex_lock(&mutex);
        pthread_mutex_unlock(&mutex);
    }
    must(sq_timer_cancel(timer));
    sq_timer_release(timer);
    sq_group_release(group);
    sq_item_release(item);
    sq_item_release(unlabelled);
}

int main(void) {
    work = sq_queue_create("work", NULL);
    other = sq_queue_create("timers", NULL);
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    sq_pool_t *pool = sq_pool_create("pool", NULL);
    options.pool = pool;
    options.width = SQ_WIDTH_POOL;
    pool_work = sq_queue_create("images", &options);
    end_otherwise();
    be_refused();
    cancel_timers();
    run_through_the_library();
    must(sq_apply(pool, 4, blur_row, NULL));
    must(sq_apply(pool, 1, blur_row, NULL)); /* alone */
    sq_queue_t *gone = sq_queue_create("gone", NULL);
    must(sq_suspend(gone));
    must(sq_async_task(gone, &(sq_task_t){ .run = never_runs, .discard = thrown_away }));
    must(sq_shutdown(gone, SQ_SHUTDOWN_DISCARD, SQ_FOREVER));
    sq_queue_release(gone);
    must(sq_shutdown(work, SQ_SHUTDOWN_DRAIN, SQ_FOREVER));
    must(sq_shutdown(other, SQ_SHUTDOWN_DRAIN, SQ_FOREVER));
    must(sq_shutdown(pool_work, SQ_SHUTDOWN_DRAIN, SQ_FOREVER));
    sq_queue_release(work);
    sq_queue_release(other);
    sq_queue_release(pool_work);
    sq_pool_release(pool);
    return 0;
}
