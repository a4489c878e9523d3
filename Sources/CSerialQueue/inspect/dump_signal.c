/* dump_signal.c: SQ_DUMP=USR1, USR1,lines=N or USR1,json: a signal that writes a dump to standard error.
 *
 * DESIGN. The library reads the variable when it is loaded. A thread that does nothing else accepts the signal and writes the dump (signal.h): no call of
 * the program is interrupted, and it does not matter which locks other threads have, or whether they are all stuck. A process that exits first
 * writes what it was asked for. */
#include "include/sq_inspect.h"

#include "inspect/dump.h"
#include "inspect/layout.h"
#include "platform/json.h"
#include "platform/message.h"
#include "platform/program.h"
#include "platform/signal.h"
#include "platform/signal_handler.h"
#include "thread/process.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

enum { STANDARD_ERROR = 2, MOST_LINES = 10000000 };
static const uint64_t exit_pause = 5000000000; /* nanoseconds */

/* Fixed before the signal is taken. */
static size_t lines = SQ__DUMP_LINES;
static bool is_json, wants_reports;

static void dump(void) {
    if (sq__report_has_file()) { /* else that number is the program's own file */
        (void)(is_json ? sq_dump_json(STANDARD_ERROR) : sq__dump_lines(STANDARD_ERROR, lines));
    }
}

/* Reads one option behind the name of the signal. False: it is none. */
static bool read_option(const char *option, size_t length) {
    static const char word[] = "lines=", json[] = "json", reports[] = "reports";
    size_t at = sizeof word - 1, number = 0;
    if (length == sizeof json - 1 && memcmp(option, json, length) == 0) {
        return is_json = true;
    }
    if (length == sizeof reports - 1 && memcmp(option, reports, length) == 0) {
        return wants_reports = true;
    }
    if (length <= at || memcmp(option, word, at) != 0) {
        return false;
    }
    for (; at < length && option[at] >= '0' && option[at] <= '9' && number <= MOST_LINES; at += 1) {
        number = number * 10 + (size_t)(option[at] - '0');
    }
    lines = number;
    return at == length && number > 0 && number <= MOST_LINES;
}

/* Reads what follows the signal's name: ",OPTION" any number of times. False: an option is unknown. */
static bool read_options(const char *text) {
    while (*text == ',') {
        size_t length = strcspn(text + 1, ",");
        if (!read_option(text + 1, length)) {
            return false;
        }
        text += 1 + length;
    }
    return true;
}

static void end_with_process(void) { sq__signal_finish(exit_pause); }

static void report_replaced(void) {
    sq__report("SQ_DUMP=%.64s: the program has installed a handler of its own for this signal. Name another one; there will be no dump.",
               sq__environment("SQ_DUMP"));
}

/* While the library is loaded: has the signal of SQ_DUMP write dumps. An error is reported, and the program continues without. */
static __attribute__((constructor)) void begin(void) {
    sq__layout_keep();
    const char *name = sq__environment("SQ_DUMP");
    if (name == NULL || name[0] == '\0') {
        return;
    }
    size_t length = strcspn(name, ",");
    int number = sq__signal_named(name, length);
    if (number == 0) {
        sq__report("SQ_DUMP=%.64s names no signal for a dump: USR1, USR2, HUP, QUIT, WINCH, RTMIN+1, .... Continuing without.", name);
        return;
    }
    if (!read_options(name + length)) {
        sq__report("SQ_DUMP=%.64s: behind the signal there may be json, reports, or lines=N, with N from 1 to 10000000. Continuing without.", name);
        return;
    }
    if (wants_reports) {
        sq__json_reports_start();
    }
    int error = sq__signal_begin(number, dump, report_replaced);
    if (error == EBUSY) {
        sq__report("SQ_DUMP=%.64s: the program uses this signal already. Name another one. Continuing without.", name);
    } else if (error) {
        sq__report("SQ_DUMP=%.64s: there is no thread to wait for it with (error %d). Continuing without.", name, error);
    } else {
        (void)sq__program_at_exit(end_with_process); /* without memory for it, a dump may be lost at the end */
        sq__process_around_fork(SQ__RANK_DUMP, (sq__fork_lock_t){ .in_child = sq__signal_begin_again });
    }
}
