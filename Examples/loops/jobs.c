#include "jobs.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PIECES = 12, NUMBERS = 20000 };

typedef struct piece {
    jobs_t *jobs;
    unsigned number;
    unsigned long primes;
} piece_t;

static pthread_t main_thread;

static void must(const char *what, int error) {
    if (error) {
        fprintf(stderr, "%s: %s\n", what, sq_error_text(error));
        exit(1);
    }
}

static void note_thread(jobs_t *jobs) { jobs->elsewhere += !pthread_equal(pthread_self(), main_thread); }

/* Main thread */
static void take_result(void *context) {
    piece_t *piece = context;
    note_thread(piece->jobs);
    piece->jobs->results += 1;
    piece->jobs->primes += piece->primes;
    free(piece);
}

static void beat(void *context) {
    jobs_t *jobs = context;
    note_thread(jobs);
    jobs->beats += 1;
}

/* A thread of the pool */
static void count_primes(void *context) {
    piece_t *piece = context;
    for (unsigned long n = piece->number * NUMBERS, end = n + NUMBERS; n < end; n += 1) {
        unsigned long divisor = 2;
        while (divisor * divisor <= n && n % divisor != 0) {
            divisor += 1;
        }
        piece->primes += n > 1 && divisor * divisor > n;
    }
    must("sq_async", sq_async(piece->jobs->main, take_result, piece));
}

static void start_piece(jobs_t *jobs, unsigned number) {
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    options.pool = sq_pool_shared();
    sq_queue_t *queue = sq_queue_create("piece", &options);
    piece_t *piece = malloc(sizeof *piece);
    if (queue == NULL || piece == NULL) {
        exit(1);
    }
    *piece = (piece_t){ jobs, number, 0 };
    must("sq_async", sq_async(queue, count_primes, piece));
    sq_queue_release(queue);
}

void jobs_begin(jobs_t *jobs) {
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    memset(jobs, 0, sizeof *jobs);
    main_thread = pthread_self();
    options.pool = jobs->loop = sq_pool_create_loop("main");
    jobs->main = jobs->loop != NULL ? sq_queue_create("main", &options) : NULL;
    jobs->timer = jobs->main != NULL ? sq_timer_create(jobs->main, &(sq_task_t){ beat, jobs, NULL }) : NULL;
    if (jobs->timer == NULL) {
        perror("the main queue");
        exit(1);
    }
    must("sq_timer_start", sq_timer_start(jobs->timer, 2000000, 2000000, 0));
    for (unsigned number = 0; number < PIECES; number += 1) {
        start_piece(jobs, number);
    }
}

void jobs_tick(jobs_t *jobs) {
    note_thread(jobs);
    jobs->ticks += 1;
}

void jobs_run(jobs_t *jobs) { (void)sq_pool_run_some(jobs->loop, 64, SQ_NOW); }

bool jobs_are_over(const jobs_t *jobs) { return jobs->results == PIECES && jobs->beats >= 3 && jobs->ticks >= 3; }

int jobs_end(jobs_t *jobs, const char *host) {
    sq_timer_release(jobs->timer);
    must("sq_shutdown", sq_shutdown(jobs->main, SQ_SHUTDOWN_DRAIN, SQ_FOREVER)); /* this thread runs what is left */
    sq_queue_release(jobs->main);
    sq_pool_release(jobs->loop);
    bool is_printed = printf("%s: %lu primes in %u results, host's timer %s, queue's timer %s, %u not on the main thread\n", host,
                             jobs->primes, jobs->results, jobs->ticks >= 3 ? "fired" : "silent",
                             jobs->beats >= 3 ? "fired" : "silent", jobs->elsewhere) > 0 && fflush(stdout) == 0;
    return is_printed && jobs->elsewhere == 0 ? 0 : 1;
}
