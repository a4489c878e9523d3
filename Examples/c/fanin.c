/* fanin.c: many pieces of work on a pool, at most four at a time, and one result.
 *
 * Counts the prime numbers below PIECES * 100,000. Each piece is a work item, so that Ctrl-C can cancel it: one that has not
 * started never runs, one that runs asks sq_item_is_cancelled and returns early. A semaphore with four permits bounds how many
 * are under way; the main thread takes a permit before it submits a piece, so no thread of the pool waits for one. A group
 * has all pieces as members: its wait is the end of all, and after it every piece's count can be read without a lock. */
#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE 1 /* sigaction, isatty, also with -std=c11 */
#endif
#include <serial_queue.h>

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { AT_A_TIME = 4, NUMBERS = 100000, MOST_PIECES = 20000 };
#define GLANCE 50000000u /* nanoseconds between two looks at the progress */

typedef struct piece {
    unsigned long first; /* counts the primes in first ... first + NUMBERS - 1 */
    unsigned long primes;
    bool is_complete;
    sq_item_t *item;
} piece_t;

static sq_pool_t *pool;
static sq_group_t *group;
static sq_semaphore_t *permits;
static piece_t *pieces;
static size_t piece_count;
static atomic_size_t finished, running, most_running;
static volatile sig_atomic_t is_interrupted;

static void must(const char *what, int error) {
    if (error) {
        fprintf(stderr, "fanin: %s: %s\n", what, strerror(error));
        exit(1);
    }
}

static void note_interrupt(int signal) {
    (void)signal;
    is_interrupted = 1;
}

/* Pieces */

static bool is_prime(unsigned long number) {
    for (unsigned long divisor = 2; divisor * divisor <= number; divisor += 1) {
        if (number % divisor == 0) {
            return false;
        }
    }
    return number >= 2;
}

/* At the outcome of each piece: the next one may start. */
static void end_piece(void) {
    atomic_fetch_add(&finished, 1);
    must("sq_semaphore_signal", sq_semaphore_signal(permits));
    must("sq_group_leave", sq_group_leave(group));
}

static void run_piece(void *context) {
    piece_t *piece = context;
    size_t now = atomic_fetch_add(&running, 1) + 1, most = atomic_load(&most_running);
    while (now > most && !atomic_compare_exchange_weak(&most_running, &most, now)) {
    }
    unsigned long number = piece->first;
    while (number < piece->first + NUMBERS && !(number % 1000 == 0 && sq_item_is_cancelled(piece->item))) {
        piece->primes += is_prime(number);
        number += 1;
    }
    piece->is_complete = number == piece->first + NUMBERS;
    atomic_fetch_sub(&running, 1);
    end_piece();
}

static void discard_piece(void *unused) {
    (void)unused;
    end_piece();
}

/* Progress */

static void show_progress(bool is_over) {
    enum { WIDTH = 50 };
    if (isatty(STDERR_FILENO)) {
        size_t done = atomic_load(&finished), full = WIDTH * done / piece_count;
        fprintf(stderr, "\r[%.*s%*s] %zu of %zu%s", (int)full, "==================================================",
                (int)(WIDTH - full), "", done, piece_count, is_over ? "\n" : "");
    }
}

/* Repeats a wait with short deadlines, so that the bar moves and Ctrl-C is noticed. True: interrupted. */
static bool wait_for_permit(void) {
    int error = ETIMEDOUT;
    while (error == ETIMEDOUT && !is_interrupted) {
        error = sq_semaphore_wait(permits, sq_deadline(GLANCE));
        show_progress(false);
    }
    must("sq_semaphore_wait", error == ETIMEDOUT ? 0 : error);
    return error == ETIMEDOUT;
}

static void wait_for_all(void) {
    bool has_cancelled = false;
    int error = ETIMEDOUT;
    while (error == ETIMEDOUT) {
        for (size_t i = 0; is_interrupted && !has_cancelled && i < piece_count; i += 1) {
            if (pieces[i].item != NULL) {
                (void)sq_item_cancel(pieces[i].item); /* whatever has become of it */
            }
        }
        has_cancelled = is_interrupted;
        error = sq_group_wait(group, sq_deadline(GLANCE));
        show_progress(error == 0);
    }
    must("sq_group_wait", error);
}

/* The work */

static void submit_piece(piece_t *piece) {
    sq_queue_options_t options = SQ_QUEUE_OPTIONS_INIT;
    options.pool = pool;
    sq_queue_t *queue = sq_queue_create("com.example.piece", &options); /* for itself: pieces run at the same time */
    must("sq_queue_create", queue == NULL ? errno : 0);
    piece->item = sq_item_create("piece", &(sq_task_t){ run_piece, piece, discard_piece });
    must("sq_item_create", piece->item == NULL ? errno : 0);
    must("sq_group_enter", sq_group_enter(group));
    must("sq_item_submit", sq_item_submit(piece->item, queue));
    sq_queue_release(queue); /* it ends after the piece */
}

static void submit_all(void) {
    for (size_t i = 0; i < piece_count && !is_interrupted; i += 1) {
        pieces[i].first = i * NUMBERS;
        if (!wait_for_permit()) {
            submit_piece(&pieces[i]);
        }
    }
}

/* The same in another way: a sieve, by one thread. */
static unsigned long sieve(size_t below) {
    unsigned long primes = 0;
    char *is_composite = calloc(below, 1);
    must("memory for the check", is_composite == NULL ? ENOMEM : 0);
    for (size_t number = 2; number < below; number += 1) {
        primes += !is_composite[number];
        for (size_t multiple = number * number; number < 100000 && !is_composite[number] && multiple < below; multiple += number) {
            is_composite[multiple] = 1;
        }
    }
    free(is_composite);
    return primes;
}

/* Returns the exit status. */
static int report(void) {
    unsigned long primes = 0;
    size_t complete = 0;
    for (size_t i = 0; i < piece_count; i += 1) {
        complete += pieces[i].is_complete;
        primes += pieces[i].is_complete ? pieces[i].primes : 0;
    }
    printf("%lu primes in %zu of %zu pieces, at most %zu at a time%s\n", primes, complete, piece_count,
           atomic_load(&most_running), is_interrupted ? ", cancelled" : "");
    if (fflush(stdout) != 0) {
        must("the output cannot be written", errno);
    }
    if (is_interrupted) {
        return 128 + SIGINT;
    }
    bool is_right = complete == piece_count && atomic_load(&most_running) <= AT_A_TIME && primes == sieve(piece_count * NUMBERS);
    if (!is_right) {
        fprintf(stderr, "fanin: wrong: the sieve counts %lu\n", sieve(piece_count * NUMBERS));
    }
    return is_right ? 0 : 1;
}

static size_t pieces_in(int count, char **words) {
    char *end = NULL;
    unsigned long value = count == 1 ? 64 : strtoul(words[1], &end, 10);
    bool is_number = count == 1 || (count == 2 && words[1][0] >= '0' && words[1][0] <= '9' && *end == '\0');
    if (!is_number || value == 0 || value > MOST_PIECES) {
        bool wants_help = count == 2 && strcmp(words[1], "--help") == 0;
        fprintf(wants_help ? stdout : stderr, "Usage: fanin [PIECES]\n\nCounts the primes below PIECES * %d; 1 to %d, else 64.\n",
                NUMBERS, MOST_PIECES);
        exit(wants_help ? 0 : 2);
    }
    return value;
}

int main(int count, char **words) {
    piece_count = pieces_in(count, words);
    pieces = calloc(piece_count, sizeof *pieces);
    sq_pool_options_t options = SQ_POOL_OPTIONS_INIT;
    options.threads = 2 * AT_A_TIME; /* more than may run: the semaphore is the bound */
    pool = sq_pool_create("com.example.fanin", &options);
    group = sq_group_create("pieces");
    permits = sq_semaphore_create("at a time", AT_A_TIME);
    must("memory", pieces == NULL || pool == NULL || group == NULL || permits == NULL ? ENOMEM : 0);
    sigaction(SIGINT, &(struct sigaction){ .sa_handler = note_interrupt }, NULL);
    submit_all();
    wait_for_all();
    int status = report();
    for (size_t i = 0; i < piece_count; i += 1) {
        sq_item_release(pieces[i].item);
    }
    sq_semaphore_release(permits);
    sq_group_release(group);
    sq_pool_release(pool);
    free(pieces);
    return status;
}
