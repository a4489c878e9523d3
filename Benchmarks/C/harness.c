/* harness.c: time, the JSON line, memory and main; see harness.h. */
#define _GNU_SOURCE
#include "harness.h"

#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static const char *contender_name = "?";
static const char *scenario_name = "?";

/* time */

static uint64_t clock_ns(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

uint64_t bench_now(void) { return clock_ns(CLOCK_MONOTONIC); }

void bench_sleep(uint64_t nanoseconds) {
    struct timespec t = { (time_t)(nanoseconds / 1000000000u), (long)(nanoseconds % 1000000000u) };
    while (nanosleep(&t, &t) != 0 && errno == EINTR) { }
}

uint64_t bench_duration(uint64_t nanoseconds) {
    const char *quick = getenv("BENCH_QUICK");
    return quick && *quick && strcmp(quick, "0") != 0 ? nanoseconds / 4 : nanoseconds;
}

/* meter */

static uint64_t switches(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (uint64_t)usage.ru_nvcsw + (uint64_t)usage.ru_nivcsw;
}

void bench_start(bench_meter_t *meter) {
    meter->switches_began = switches();
    meter->cpu_began = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
    meter->wall_began = bench_now();
}

void bench_stop(bench_meter_t *meter, uint64_t tasks) {
    meter->wall += bench_now() - meter->wall_began;
    meter->cpu += clock_ns(CLOCK_PROCESS_CPUTIME_ID) - meter->cpu_began;
    meter->switches += switches() - meter->switches_began;
    meter->tasks += tasks;
}

/* the JSON line */

void bench_metric(const char *name, double value) { printf(",\"%s\":%.6g", name, value); }

void bench_report(const bench_meter_t *meter) {
    double tasks = (double)meter->tasks;
    bench_metric("tasks", tasks);
    bench_metric("wall", (double)meter->wall / tasks);
    bench_metric("cpu", (double)meter->cpu / tasks);
    bench_metric("switches", (double)meter->switches / tasks);
}

void bench_fail(const char *sentence) {
    fflush(stdout);
    fprintf(stderr, "\n%s, %s: %s\n", contender_name, scenario_name, sentence);
    _exit(1);
}

void bench_expect(const char *what, uint64_t counted, uint64_t expected) {
    if (counted == expected) return;
    char sentence[160];
    snprintf(sentence, sizeof sentence, "the count of %s came out wrong: %llu instead of %llu.", what,
             (unsigned long long)counted, (unsigned long long)expected);
    bench_fail(sentence);
}

static int by_size(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

void bench_percentiles(const char *name, uint64_t *samples, size_t count) {
    char metric[64];
    qsort(samples, count, sizeof *samples, by_size);
    snprintf(metric, sizeof metric, "%s_p50", name);
    bench_metric(metric, (double)samples[count / 2]);
    snprintf(metric, sizeof metric, "%s_p99", name);
    bench_metric(metric, (double)samples[count * 99 / 100]);
    snprintf(metric, sizeof metric, "%s_p999", name);
    bench_metric(metric, (double)samples[count * 999 / 1000]);
    snprintf(metric, sizeof metric, "%s_max", name);
    bench_metric(metric, (double)samples[count - 1]);
}

/* memory */

uint64_t bench_heap_bytes(void) {
    struct mallinfo2 info = mallinfo2();
    return (uint64_t)info.uordblks + (uint64_t)info.hblkhd;
}

uint64_t bench_resident_bytes(void) {
    unsigned long long pages = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%llu %llu", &pages, &resident) != 2) bench_fail("/proc/self/statm cannot be read.");
    fclose(file);
    return resident * (uint64_t)sysconf(_SC_PAGESIZE);
}

uint64_t bench_threads(void) {
    char line[256];
    unsigned long long threads = 0;
    FILE *file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof line, file) && sscanf(line, "Threads: %llu", &threads) != 1) { }
    if (!threads) bench_fail("/proc/self/status cannot be read.");
    fclose(file);
    return threads;
}

/* main */

static void *nothing(void *unused) { return unused; }

/* As in any program that has use for a queue, malloc and reference counts run in their multi-threaded form. */
static void become_multithreaded(void) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, nothing, NULL) != 0) bench_fail("a thread could not be created.");
    pthread_join(thread, NULL);
}

void bench_begin(const char *contender, const char *scenario) {
    contender_name = contender;
    scenario_name = scenario;
    printf("{\"contender\":\"%s\",\"scenario\":\"%s\"", contender, scenario);
    become_multithreaded();
}

void bench_not_applicable(const char *why) { printf(",\"na\":\"%s\"", why); }

void bench_end(void) {
    printf("}\n");
    fflush(stdout);
    _exit(0);
}

/* Whether `word` is `name`, or `name` and a number. */
static bool is_scenario(const char *word, const char *name, uint64_t *parameter) {
    size_t length = strlen(name);
    if (strncmp(word, name, length) != 0) return false;
    const char *rest = word + length;
    *parameter = 0;
    if (*rest == '\0') return true;
    if (*rest != '-' || rest[1] < '0' || rest[1] > '9') return false;
    char *end;
    *parameter = strtoull(rest + 1, &end, 10);
    return *end == '\0';
}

static struct { const char *name; unsigned needs; void (*run)(uint64_t); } scenarios[64];
static size_t scenario_count;

void bench_register(const char *name, unsigned needs, void (*run)(uint64_t)) {
    if (scenario_count == sizeof scenarios / sizeof *scenarios) bench_fail("too many scenarios are registered.");
    scenarios[scenario_count].name = name;
    scenarios[scenario_count].needs = needs;
    scenarios[scenario_count++].run = run;
}

int bench_main(int argc, char **argv, const bench_contender_t *contender) {
    if (argc != 2) {
        fprintf(stderr, "usage: %s <scenario>[-<number>]; scenarios:", argv[0]);
        for (size_t i = 0; i < scenario_count; ++i) fprintf(stderr, " %s", scenarios[i].name);
        fprintf(stderr, "\n");
        return 2;
    }
    for (size_t i = 0; i < scenario_count; ++i) {
        uint64_t parameter;
        if (!is_scenario(argv[1], scenarios[i].name, &parameter)) continue;
        bench_begin(contender->name, argv[1]);
        if ((scenarios[i].needs & contender->can) == scenarios[i].needs) scenarios[i].run(parameter);
        else bench_not_applicable(contender->why_not);
        bench_end();
    }
    bench_begin(contender->name, argv[1]);
    bench_not_applicable("it has no such call");
    bench_end();
    return 0;
}
