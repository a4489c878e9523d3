#include "page.h"

#include <stdlib.h>
#include <string.h>

/* The sum of the queues of one label. */
typedef struct series {
    const char *label;
    sq_queue_stats_t stats;
    sq_histogram_t waiting, running, depths;
} series_t;

static void add(series_t *series, const sq_queue_t *queue) {
    sq_queue_stats_t stats = SQ_QUEUE_STATS_INIT;
    if (sq_queue_stats(queue, &stats) != 0) {
        abort(); /* the struct is of this version */
    }
    series->stats.depth += stats.depth;
    series->stats.ran += stats.ran;
    series->stats.discarded += stats.discarded;
    series->stats.withdrawn += stats.withdrawn;
    series->stats.rejected += stats.rejected;
}

/* The text format has three characters that a label cannot have as they are. */
static void write_label(FILE *out, const char *label) {
    fputs("{queue=\"", out);
    for (; *label != '\0'; label += 1) {
        if (*label == '\n') {
            fputs("\\n", out);
        } else {
            fprintf(out, *label == '"' || *label == '\\' ? "\\%c" : "%c", *label);
        }
    }
    fputc('"', out);
}

static void write_seconds(FILE *out, uint64_t nanoseconds) {
    fprintf(out, "%llu.%09llu", (unsigned long long)(nanoseconds / 1000000000), (unsigned long long)(nanoseconds % 1000000000));
}

static void write_number(FILE *out, uint64_t number) { fprintf(out, "%llu", (unsigned long long)number); }

static void write_head(FILE *out, const char *name, const char *type, const char *help) {
    fprintf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void write_count(FILE *out, const char *name, const char *label, const char *outcome, uint64_t count) {
    fputs(name, out);
    write_label(out, label);
    if (outcome != NULL) {
        fprintf(out, ",outcome=\"%s\"", outcome);
    }
    fprintf(out, "} %llu\n", (unsigned long long)count);
}

/* What a histogram counts, and its bounds: each four times the one before. A bucket of the library ends at each power of two, so these counts are exact. */
typedef struct unit {
    unsigned lowest, highest; /* powers of two */
    void (*write)(FILE *out, uint64_t value);
} unit_t;

static const unit_t seconds = { 10, 34, write_seconds }; /* 1 µs to 17 s */
static const unit_t tasks = { 0, 18, write_number };

static void write_histogram(FILE *out, const char *name, const char *label, const sq_histogram_t *histogram, const unit_t *unit) {
    uint64_t so_far = 0;
    size_t bucket = 0;
    for (unsigned power = unit->lowest; power <= unit->highest; power += 2) {
        uint64_t limit = (UINT64_C(1) << power) - 1;
        for (; sq_histogram_bound(bucket) <= limit; bucket += 1) {
            so_far += histogram->counts[bucket];
        }
        fprintf(out, "%s_bucket", name);
        write_label(out, label);
        fputs(",le=\"", out);
        unit->write(out, limit);
        fprintf(out, "\"} %llu\n", (unsigned long long)so_far);
    }
    fprintf(out, "%s_bucket", name);
    write_label(out, label);
    fprintf(out, ",le=\"+Inf\"} %llu\n%s_sum", (unsigned long long)histogram->count, name);
    write_label(out, label);
    fputs("} ", out);
    unit->write(out, histogram->sum);
    fprintf(out, "\n%s_count", name);
    write_label(out, label);
    fprintf(out, "} %llu\n", (unsigned long long)histogram->count);
}

void page_write(FILE *out, sq_queue_t *const queues[], size_t count) {
    series_t *series = malloc((count + 1) * sizeof *series);
    size_t used = 0;
    for (size_t i = 0; series != NULL && i < count; i += 1) {
        const char *label = sq_queue_label(queues[i]);
        if (used == 0 || strcmp(series[used - 1].label, label) != 0) {
            series[used] = (series_t){ label, SQ_QUEUE_STATS_INIT, SQ_HISTOGRAM_INIT, SQ_HISTOGRAM_INIT, SQ_HISTOGRAM_INIT };
            (void)sq_label_histograms(label, &series[used].waiting, &series[used].running); /* empty if none is measured */
            (void)sq_label_depth_histogram(label, &series[used].depths);
            used += 1;
        }
        add(&series[used - 1], queues[i]);
    }
    write_head(out, "queue_depth", "gauge", "Tasks that wait.");
    for (size_t i = 0; i < used; i += 1) {
        write_count(out, "queue_depth", series[i].label, NULL, series[i].stats.depth);
    }
    write_head(out, "queue_tasks_total", "counter", "Tasks by their outcome.");
    for (size_t i = 0; i < used; i += 1) {
        write_count(out, "queue_tasks_total", series[i].label, "ran", series[i].stats.ran);
        write_count(out, "queue_tasks_total", series[i].label, "discarded", series[i].stats.discarded);
        write_count(out, "queue_tasks_total", series[i].label, "withdrawn", series[i].stats.withdrawn);
        write_count(out, "queue_tasks_total", series[i].label, "rejected", series[i].stats.rejected);
    }
    write_head(out, "queue_waiting_seconds", "histogram", "From the submission of a task to its start.");
    for (size_t i = 0; i < used; i += 1) {
        write_histogram(out, "queue_waiting_seconds", series[i].label, &series[i].waiting, &seconds);
    }
    write_head(out, "queue_running_seconds", "histogram", "From the start of a task to its end.");
    for (size_t i = 0; i < used; i += 1) {
        write_histogram(out, "queue_running_seconds", series[i].label, &series[i].running, &seconds);
    }
    write_head(out, "queue_depth_at_start", "histogram", "Tasks that waited when one began.");
    for (size_t i = 0; i < used; i += 1) {
        write_histogram(out, "queue_depth_at_start", series[i].label, &series[i].depths, &tasks);
    }
    free(series);
}
