/* main.c: counts the words of files with several threads and one serial queue. `wordcount --help` says how to run it,
 * Examples/README.md what it prints. Examples/WordCount is the same in Swift.
 *
 *     reader ─┐ async: a batch of counts
 *     reader ─┼──────────────► serial queue ──► the table
 *     reader ─┘        sync ▲
 *     progress bar ─────────┘
 */
#define _DEFAULT_SOURCE 1
#include "bar.h"
#include "check.h"
#include "die.h"
#include "inputs.h"
#include "options.h"
#include "readers.h"
#include "tally.h"
#include "text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { STATUS_INCOMPLETE = 1, STATUS_DIFFERENT = 3 };

void die(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    flockfile(stderr);
    fputs("wordcount: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    _exit(1); /* not exit: other threads are still at work on what it would take down */
}

/* Runs the readers to their end; returns the seconds until the table was complete. */
static double count_with_queue(inputs_t *inputs, tally_t *tally, unsigned reader_count, bar_t *bar) {
    double began = seconds_now();
    readers_t *readers = readers_start(inputs, tally, reader_count);
    if (bar->is_on) {
        const struct timespec pause = {.tv_nsec = 20 * 1000 * 1000};
        for (progress_t now; (now = tally_progress(tally)).finished < reader_count; nanosleep(&pause, NULL))
            bar_draw(bar, "counting", now.bytes, inputs_bytes(inputs), now.words);
    }
    readers_join(readers);
    tally_catch_up(tally);
    bar_clear(bar);
    return tally->finished_at - began;
}

static void print_words(const words_t *words, unsigned long top) {
    for (size_t i = 0; i < top && i < words->different; i++) {
        const word_t *word = &words->list[i];
        printf("%9" PRIu64 "  ", word->count);
        text_print(stdout, words->text + word->offset, word->length);
        putchar('\n');
    }
    if (top > 0 && words->different > 0) putchar('\n');
}

static void print_speed(const words_t *words, uint64_t bytes, double seconds) {
    printf("%.3f s, %.2f million words/s, %.1f MB/s", seconds, (double)words->total / seconds / 1e6,
           (double)bytes / seconds / 1e6);
}

static void print_statistics(const sq_queue_t *queue) {
    sq_queue_stats_t stats = SQ_QUEUE_STATS_INIT;
    sq_queue_stats(queue, &stats);
    printf("queue     \"%s\": %" PRIu64 " tasks submitted, %" PRIu64 " ran, at most %" PRIu64 " waiting\n",
           sq_queue_label(queue), stats.submitted, stats.ran, stats.highest_depth);
}

/* An input that failed half-way left counts in the table that cannot be separated from the others. */
static const input_t *half_counted(const inputs_t *inputs) {
    for (size_t i = 0; i < inputs->count; i++)
        if (inputs->all[i].problem[0] != '\0' && inputs->all[i].counted > 0) return &inputs->all[i];
    return NULL;
}

/* Counts again with one thread; returns the exit status. */
static int check(inputs_t *inputs, const tally_t *tally, double readers_seconds, bar_t *bar) {
    const input_t *half = half_counted(inputs);
    if (half != NULL) {
        printf("check     left out: %s was counted only in part\n", half->path);
        return STATUS_INCOMPLETE;
    }
    words_t expected = {0};
    double began = seconds_now();
    bool is_complete = check_count(inputs, &expected, bar);
    bar_clear(bar);
    double seconds = seconds_now() - began;
    bool is_equal = is_complete && check_equal(&tally->words, &expected);
    if (is_equal) {
        fputs("1 thread  ", stdout);
        print_speed(&expected, tally->bytes, seconds);
        printf(": %.2f times as long\n", seconds / readers_seconds);
        puts("check     the single-threaded count is the same");
    }
    words_free(&expected);
    return is_equal ? 0 : is_complete ? STATUS_DIFFERENT : STATUS_INCOMPLETE;
}

static void print_results(const inputs_t *inputs, const tally_t *tally, size_t problems, unsigned readers,
                          double seconds) {
    printf("words     %" PRIu64 ", %zu different, in %zu of %zu files\n", tally->words.total, tally->words.different,
           inputs->count - problems, inputs->count);
    printf("%u %-8s", readers, readers == 1 ? "reader" : "readers");
    print_speed(&tally->words, tally->bytes, seconds);
    putchar('\n');
    print_statistics(tally->queue);
}

int main(int count, char *arguments[]) {
    (void)count;
    options_t options = options_read(arguments);
    bar_t bar = bar_make();
    inputs_t inputs;
    tally_t tally;
    inputs_open(&inputs, options.paths, options.path_count);
    inputs_report(&inputs);
    tally_open(&tally);

    double seconds = count_with_queue(&inputs, &tally, options.readers, &bar);
    size_t problems = inputs_report(&inputs);
    int status = problems > 0 ? STATUS_INCOMPLETE : 0;
    if (problems == inputs.count) {
        fputs("wordcount: none of the files could be counted\n", stderr);
    } else {
        words_sort(&tally.words);
        print_words(&tally.words, options.top);
        print_results(&inputs, &tally, problems, options.readers, seconds);
        int checked = check(&inputs, &tally, seconds, &bar);
        if (checked > status) status = checked;
    }

    tally_close(&tally);
    inputs_close(&inputs);
    options_free(&options);
    if (fflush(stdout) != 0 || ferror(stdout)) die("the results cannot be written to standard output");
    return status;
}
