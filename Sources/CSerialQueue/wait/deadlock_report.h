/* deadlock_report.h: a deadlock in words. */
#pragma once

#include "wait/edge.h"

/* Room for the calling thread's report, kept until it ends; NULL: no memory. */
char *sq__deadlock_report_room(void);

/* M. Writes the cycle that begins at `edge`, in order, into the report of its thread, if that has one. The edge's wait was refused; `onward` and
 * `held` are set. That thread is to call sq__deadlock_report_finish. */
void sq__deadlock_report_cycle(const sq__edge_t *edge);

/* With no lock, by the thread of this report, NULL: none. Names the functions in it, keeps it as the newest, and writes it for programs, if that was
 * asked for. */
void sq__deadlock_report_finish(char *report);
