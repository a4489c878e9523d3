/* uv.c: libuv's callbacks and the tasks of a main queue share the main thread. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1 /* libuv's headers, also with -std=c11 */
#endif
#include "jobs.h"

#include <uv.h>

static uv_timer_t ticker;
static uv_poll_t poller;

static void stop_if_over(jobs_t *jobs) {
    if (jobs_are_over(jobs) && !uv_is_closing((uv_handle_t *)&ticker)) {
        uv_close((uv_handle_t *)&ticker, NULL);
        uv_close((uv_handle_t *)&poller, NULL);
    }
}

static void tick(uv_timer_t *timer) {
    jobs_tick(timer->data);
    stop_if_over(timer->data);
}

static void run(uv_poll_t *handle, int status, int events) {
    (void)status, (void)events;
    jobs_run(handle->data);
    stop_if_over(handle->data);
}

int main(void) {
    jobs_t jobs;
    uv_loop_t *loop = uv_default_loop();
    jobs_begin(&jobs);
    ticker.data = poller.data = &jobs;
    uv_timer_init(loop, &ticker);
    uv_timer_start(&ticker, tick, 3, 3);
    uv_poll_init(loop, &poller, sq_pool_fd(jobs.loop));
    uv_poll_start(&poller, UV_READABLE, run);
    uv_run(loop, UV_RUN_DEFAULT);
    uv_loop_close(loop);
    return jobs_end(&jobs, "uv");
}
