/* deadlock_report.h: a deadlock in words. */
#pragma once

#include "wait/edge.h"

/* Room for the calling thread's report, kept until it ends; NULL: no memory. */
char *sq__deadlock_report_room(void);

/* With no lock, by the thread of this report, NULL: none: writes it for programs, if that was asked for. */
void sq__deadlock_report_write(const char *report);

/* M. Writes the cycle that begins at `edge`, in order, into the report of its thread, if that has one. The edge's wait was refused; `onward` and
 * `held` are set. */
void sq__deadlock_report_cycle(const sq__edge_t *edge);
