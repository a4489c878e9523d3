/* main.c: storm SECONDS: rounds until the time is over, a line every ten seconds, a summary. Exits with 0 if nothing was violated.
 * In the environment: SQ_SEED makes the same choices again; STORM_WITHOUT and STORM_ONLY name parts, separated by spaces. */
#include "storm.h"

#include "../C/support/threads.h"
#include "harness.h"

#include <malloc.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

/* What memory may grow by after the first rounds: the library keeps a token for each thread that ever waited at the same time as
 * others, the C library caches and fragments. */
enum { HEAP_SLACK_KIB = 512, FIRST_ROUNDS = 10 };

struct totals totals;
atomic_uint round_number;
uint64_t seed;

static unsigned parts; /* bits */

static const char *const names[PARTS] = { "async", "waits", "deferred", "delayed", "group", "semaphore", "item", "timer", "suspend",
                                          "shutdown", "release", "watch", "once", "apply", "target", "dump", "trace", "fork" };

bool takes_part(part_t part) { return part == PARTS || (parts >> part & 1) != 0; }

static unsigned parts_named(const char *words) {
    unsigned found = 0;
    char copy[200];
    snprintf(copy, sizeof copy, "%s", words);
    for (char *word = strtok(copy, " ,"); word != NULL; word = strtok(NULL, " ,")) {
        unsigned i = 0;
        while (i < PARTS && strcmp(names[i], word) != 0) {
            i += 1;
        }
        MUST(i < PARTS, "no part is named \"%s\"", word);
        found |= 1u << i;
    }
    return found;
}

static void choose_parts(void) {
    const char *without = getenv("STORM_WITHOUT"), *only = getenv("STORM_ONLY");
    parts = only != NULL && only[0] != '\0' ? parts_named(only) : (1u << PARTS) - 1;
    parts &= ~parts_named(without != NULL ? without : "");
}

/* splitmix64 */
uint64_t below(chance_t *chance, uint64_t limit) {
    uint64_t z = (chance->state += UINT64_C(0x9E3779B97F4A7C15));
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return (z ^ (z >> 31)) % limit;
}

void yield_for(chance_t *chance) {
    switch (below(chance, 12)) {
    case 0: nanosleep(&(struct timespec){ .tv_nsec = (long)(below(chance, 300) * MICROSECOND) }, NULL); break;
    case 1: sched_yield(); break;
    case 2:
    case 3: {
        volatile unsigned char garbage[600]; /* a dump that reads this stack meanwhile must not trust what it finds */
        for (size_t i = 0; i < sizeof garbage; i += 1) {
            garbage[i] = (unsigned char)(i * 7 + 3);
        }
        break;
    }
    default: break;
    }
}

sq_time_t soon(chance_t *chance) {
    return sq_deadline(below(chance, 3) == 0 ? below(chance, 20) * MILLISECOND : below(chance, 2000) * MICROSECOND);
}

void violated(const char *format, ...) {
    static atomic_flag is_reported = ATOMIC_FLAG_INIT;
    char words[1200];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(words, sizeof words, format, arguments);
    va_end(arguments);
    while (atomic_flag_test_and_set(&is_reported)) {
        pause(); /* the first one ends the process */
    }
    printf("VIOLATED in round %u: %s\n  the same choices: SQ_SEED=%llu\n", round_number, words, (unsigned long long)seed);
    fflush(stdout);
    sq_dump(STDOUT_FILENO);
    _exit(1); /* nothing can be relied on from here */
}

static double seconds_now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static long heap_kib(void) {
    malloc_trim(0);
    struct mallinfo2 heap = mallinfo2();
    return (long)((heap.uordblks + heap.hblkhd) / 1024);
}

/* Those of the two shared pools stay, and so does the thread for alarms. Others end some seconds after their last task. */
static void check_threads(long before) {
    watchdog_watch("threads that should end");
    cpu_set_t mine;
    CPU_ZERO(&mine);
    sched_getaffinity(0, sizeof mine, &mine);
    while (count_threads() > before + 2 * CPU_COUNT(&mine) + 1) {
        nanosleep(&(struct timespec){ .tv_nsec = 10000000 }, NULL);
    }
    watchdog_watch(NULL);
}

static void print_line(double seconds) {
    printf("%6.0f s, round %u: %llu acts, %llu tasks, %llu discarded, %llu refused, %llu timed out, %llu cancelled, %llu firings, "
           "%llu own releases, %llu after the end, %llu dumps, %llu traces, %llu forks\n",
           seconds, round_number, (unsigned long long)totals.acts, (unsigned long long)totals.tasks, (unsigned long long)totals.discards,
           (unsigned long long)totals.refusals, (unsigned long long)totals.timeouts, (unsigned long long)totals.cancellations,
           (unsigned long long)totals.firings, (unsigned long long)totals.releases, (unsigned long long)totals.late,
           (unsigned long long)totals.dumps, (unsigned long long)totals.traces, (unsigned long long)totals.forks);
}

static void *nothing(void *argument) { return argument; }

/* A sanitizer starts a helper of its own with the first thread of the program. */
static void start_first_thread(void) {
    pthread_t thread;
    MUST(pthread_create(&thread, NULL, nothing, NULL) == 0, "no thread for the storm itself");
    pthread_join(thread, NULL);
}

int main(int argc, char **argv) {
    double seconds = argc > 1 ? strtod(argv[1], NULL) : 60;
    const char *chosen = getenv("SQ_SEED");
    seed = chosen != NULL && chosen[0] != '\0' ? strtoull(chosen, NULL, 0) : (uint64_t)time(NULL) * 1000003u + (uint64_t)getpid();
    seed &= (UINT64_C(1) << 40) - 1;
    setvbuf(stdout, NULL, _IOLBF, 0);
    choose_parts();
    watchdog_start();
    start_first_thread();
    long threads = count_threads(), first = 0;
    double began = seconds_now(), said = began, now = began;
    printf("storm for %.0f s, SQ_SEED=%llu\n", seconds, (unsigned long long)seed);
    do {
        round_number += 1;
        chance_t chance = { seed ^ (uint64_t)round_number << 40 };
        round_run(&chance);
        first = round_number == FIRST_ROUNDS ? heap_kib() : first;
        now = seconds_now();
        if (now - said >= 10) {
            print_line(now - began);
            said = now;
        }
    } while (now - began < seconds);
    check_threads(threads);
    MUST(SANITIZED || round_number <= FIRST_ROUNDS || heap_kib() <= first + HEAP_SLACK_KIB, "%ld KiB of heap, after the first rounds %ld",
         heap_kib(), first);
    print_line(seconds_now() - began);
    printf("nothing violated\n");
    return 0;
}
