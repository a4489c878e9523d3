#include "wait/deadlock_report.h"

#include "include/sq_current.h"
#include "include/sq_private.h"
#include "platform/clock.h"
#include "platform/json.h"
#include "platform/probe.h"
#include "platform/text.h"
#include "thread/process.h"

#include <stdio.h>
#include <string.h>

/* A copy of the newest one, for a dump. */
static sq__mutex_t lock = SQ__MUTEX_INIT;
static char last[SQ__REPORT_SIZE]; /* under the lock */
static uint64_t last_when;         /* under the lock */

bool sq__deadlock_last_report(sq__patience_t *patience, char *text, size_t size, uint64_t *when, bool *is_known) {
    *is_known = sq__mutex_lock_patiently(&lock, patience);
    if (!*is_known) {
        return false;
    }
    snprintf(text, size, "%s", last);
    *when = last_when;
    sq__mutex_unlock(&lock);
    return text[0] != '\0';
}

SQ__AROUND_FORK(SQ__RANK_REPORT, .lock = &lock)

sq__deadlock_report_t *sq__deadlock_report_own(void) {
    bool is_new = sq__self()->report == NULL, has_threads = sq__json_reports_are_on();
    sq__deadlock_report_t *report = (void *)sq__self_report(sizeof *report + (has_threads ? sizeof *report->threads : 0));
    if (is_new && report != NULL) {
        report->threads = has_threads ? (void *)(report + 1) : NULL;
    }
    return report;
}

/* Inserts the name of this call into the text. What does not fit is cut off. */
static void insert_site(char *text, size_t at, const void *maker) {
    char name[256];
    sq__site_text(maker, name, sizeof name);
    size_t rest = strlen(text + at), length = strlen(name), room = SQ__REPORT_SIZE - 1 - at;
    length = length < room ? length : room;
    rest = rest < room - length ? rest : room - length;
    memmove(text + at + length, text + at, rest);
    memcpy(text + at, name, length);
    text[at + length + rest] = '\0';
}

/* Makes the text printable, and copies it as the newest one. Labels and names of threads are the program's: what is not printable would reach a
 * terminal. */
static void keep(char *text) {
    sq__make_printable(text, SQ__REPORT_SIZE);
    SQ__PROBE2(deadlock, text, 0);
    sq__mutex_lock(&lock);
    memcpy(last, text, strlen(text) + 1);
    last_when = sq__clock_now();
    sq__mutex_unlock(&lock);
}

void sq__deadlock_report_finish(sq__deadlock_report_t *report) {
    if (report == NULL) {
        return;
    }
    for (unsigned i = report->sites; i > 0; i -= 1) { /* from the end: the places before it stay */
        insert_site(report->text, report->site[i - 1].at, report->site[i - 1].maker);
    }
    keep(report->text);
    if (report->threads != NULL) {
        sq__deadlock_json_write(report->text, report->threads);
    }
}

const char *sq_deadlock_report(void) {
    const char *report = sq__self()->report;
    return report != NULL ? report : "";
}
