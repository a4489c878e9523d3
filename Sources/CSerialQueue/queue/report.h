/* report.h: a deadlock in words. */
#ifndef SQ__QUEUE_REPORT_H
#define SQ__QUEUE_REPORT_H

#include "queue/deadlock.h"

/* Room for the calling thread's report, kept until it ends; NULL: no memory. */
char *sq__report_room(void);

/* Writes the cycle that begins at `edge`, in order, into the report of its thread. M */
void sq__report_cycle(const sq__edge_t *edge);

/* Writes the calling thread's report: it is inside the function of this once. */
void sq__report_once_inside_itself(const void *once);

#endif
