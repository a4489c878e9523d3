/* stage_inside.h: what the files of the stage share. */
#ifndef STAGE_INSIDE_H
#define STAGE_INSIDE_H

#include "stage.h"

extern const expectation_t *stage_expected;
extern const char *const stage_kind_names[];
extern submission_t stage_submissions[SUBMISSIONS];
extern unsigned stage_count;
extern bool stage_closed[QUEUES]; /* a shutdown has returned */
extern int stage_deadlocks;       /* how many EDEADLK there were */
extern bool stage_may_fail;       /* memory and threads */

#define WORD(cell) (&(cell)), sizeof(cell)

void stage_control_reset(void);
uint64_t stage_returned(void); /* a bit for each submission whose call happened before what the current thread does */
uint64_t stage_suspension_before(int queue); /* the one that it was in for sure; 0: none */
void stage_control_starts(const submission_t *one);
void stage_control_ends(const submission_t *one);
void stage_control_discards(const submission_t *one);
sq_pool_t *stage_pool_begin(const pool_plan_t *plan); /* NULL: none */
sq_pool_t *stage_pool(void);
unsigned stage_warm_tasks(void); /* of each queue, before the scenario began */
bool stage_is_cancelled(const submission_t *one); /* it is the item, which a cancel takes out of its queue, or tries to */
int stage_many_submit(kind_t kind, sq_queue_t *queue, const sq_task_t *task);
void stage_read_result(const submission_t *one); /* what its task wrote */
void stage_apply_reset(void);
void stage_pool_enter(const submission_t *one);
void stage_pool_leave(const submission_t *one);
void stage_take_over(void); /* a loop, whose owner has ended */
void stage_watch_reset(void);
void stage_watch_end(void);

#endif
