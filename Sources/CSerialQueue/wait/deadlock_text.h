/* deadlock_text.h: a deadlock in words. wait.h has what writes the report of a thread that would wait for itself. */
#pragma once

#include "wait/edge.h"

/* M. Writes the cycle that begins at `edge`, in order, into the report of its thread, if that has one. The edge's wait was refused; `onward` and
 * `held` are set. That thread is to call sq__deadlock_report_finish. */
void sq__deadlock_text_cycle(const sq__edge_t *edge);
