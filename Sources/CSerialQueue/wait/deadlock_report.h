/* deadlock_report.h: a deadlock in words. */
#pragma once

#include "wait/edge.h"

/* Room for the calling thread's report, kept until it ends; NULL: no memory. */
char *sq__deadlock_report_room(void);

/* Room for the same report as JSON, behind that one; NULL: it is not asked for, or was not yet when the thread got its room, before main. */
char *sq__deadlock_json_room(void);

/* With no lock, by the thread of this report: writes it for programs, if that was asked for. */
void sq__deadlock_report_write(const char *report);

/* M. Writes the cycle that begins at `edge`, in order, into the report of its thread, if that has one. The edge's wait was refused; `onward` and
 * `held` are set. */
void sq__deadlock_report_cycle(const sq__edge_t *edge);
