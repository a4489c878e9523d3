/* main.c: soak SECONDS [SEED]: rounds, a line for each, a summary. Exits with 0 if nothing was violated. With DUMPS=N in the environment
 * a thread dumps all the time, and the soak takes at least until it has done so N times. */
#include "soak.h"

#include "harness.h"

#include <malloc.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

/* What memory may grow by after the first round. The library keeps a token, of 128 or 192 bytes, for each thread that ever
 * waited at the same time as others; the rest is the C library's: caches, and fragments of its arenas. */
enum { HEAP_SLACK_KIB = 256, RSS_SLACK_KIB = 16 * 1024 };

static uint64_t seed;
static unsigned round_number;

chance_t chance_of(uint64_t a, uint64_t b, uint64_t c) {
    chance_t chance = { a ^ b << 40 ^ c << 56 };
    below(&chance, 2);
    return chance;
}

/* splitmix64 */
uint64_t below(chance_t *chance, uint64_t limit) {
    uint64_t z = (chance->state += UINT64_C(0x9E3779B97F4A7C15));
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return (z ^ (z >> 31)) % limit;
}

void violated(const char *format, ...) {
    char words[1200];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(words, sizeof words, format, arguments);
    va_end(arguments);
    printf("VIOLATED in round %u: %s\n  again: SEED=%llu\n", round_number, words, (unsigned long long)seed);
    _exit(1); /* nothing can be relied on from here */
}

double seconds_now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void check_memory(const figures_t *first, const figures_t *figures) {
    if (memory_is_measured() && round_number > 1) {
        MUST(figures->heap_kib <= first->heap_kib + HEAP_SLACK_KIB, "%ld KiB of heap, after the first round %ld", figures->heap_kib,
             first->heap_kib);
        MUST(figures->rss_kib <= first->rss_kib + RSS_SLACK_KIB, "%ld KiB resident, after the first round %ld", figures->rss_kib,
             first->rss_kib);
    }
}

static void print_line(double seconds, uint64_t tasks, const figures_t *figures) {
    printf("%6u %10llu %10.0f %10llu %10llu %8llu %8llu %8llu %8llu %8ld %8ld %8ld\n", round_number, (unsigned long long)tasks,
           (double)tasks / seconds, (unsigned long long)totals.discards, (unsigned long long)totals.refusals,
           (unsigned long long)totals.circles, (unsigned long long)totals.made, (unsigned long long)totals.firings, (unsigned long long)totals.stalls, figures->threads,
           figures->heap_kib, figures->rss_kib);
}

/* A round of a tenth of the time, but neither too short to get anywhere nor too long for its line. */
static double round_length(double seconds) {
    double length = seconds / 10;
    return length < 1 ? 1 : length > 10 ? 10 : length;
}

static void *nothing(void *argument) { return argument; }

/* A sanitizer starts a helper of its own with the first thread of the program. */
static void start_first_thread(void) {
    pthread_t thread;
    MUST(pthread_create(&thread, NULL, nothing, NULL) == 0, "no thread for the soak itself");
    pthread_join(thread, NULL);
}

int main(int argc, char **argv) {
    double seconds = argc > 1 ? strtod(argv[1], NULL) : 60;
    seed = argc > 2 && argv[2][0] != '\0' ? strtoull(argv[2], NULL, 0) : (uint64_t)time(NULL) * 1000003u + (uint64_t)getpid();
    seed &= (UINT64_C(1) << 40) - 1;
    figures_t first = { 0, 0, 0, 0 }, last = first;
    long max_rss = 0;
    double begin = seconds_now(), length = round_length(seconds);
    setvbuf(stdout, NULL, _IOLBF, 0);
    watchdog_start();
    start_first_thread();
    uint64_t dumps = 0, dumps_wanted = getenv("DUMPS") != NULL ? strtoull(getenv("DUMPS"), NULL, 0) : 0;
    if (dumps_wanted > 0) {
        dumping_begin();
    }
    long threads = measure().threads;
    printf("soak for %.0f s, SEED=%llu, %d drivers, %d queues and %d passing ones\n", seconds, (unsigned long long)seed, DRIVERS,
           QUEUES, PASSING);
    printf("%6s %10s %10s %10s %10s %8s %8s %8s %8s %8s %8s %8s\n", "round", "tasks", "tasks/s", "discarded", "refused", "circles",
           "queues", "firings", "stalls", "threads", "heap KiB", "RSS KiB");
    do {
        uint64_t before = totals.tasks;
        round_number += 1;
        watchdog_watch("a round of the soak");
        double worked = round_run(seed, round_number, length, threads);
        watchdog_watch(NULL);
        malloc_trim(0);
        last = measure();
        first = round_number == 1 ? last : first;
        max_rss = last.rss_kib > max_rss ? last.rss_kib : max_rss;
        print_line(worked, totals.tasks - before, &last);
        check_memory(&first, &last);
        dumps = dumping_check();
    } while (seconds_now() - begin < seconds || dumps < dumps_wanted);
    double took = seconds_now() - begin;
    printf("%llu tasks in %.0f s (%.0f a second), %u rounds, SEED=%llu, RSS at rest at most %ld KiB, %ld threads at rest: nothing violated\n",
           (unsigned long long)totals.tasks, took, (double)totals.tasks / took, round_number, (unsigned long long)seed, max_rss,
           last.threads);
    if (dumps_wanted > 0) {
        printf("%llu dumps meanwhile\n", (unsigned long long)dumps);
    }
    return 0;
}
