/* suspend.h: tasks that suspend and resume their own queue. */
#ifndef SUSPEND_H
#define SUSPEND_H

#include "caller.h"
#include "inject.h"

#include <sched.h>
#include <stdatomic.h>

static inline void suspend_own(void *context) { CHECK_EQUAL(sq_suspend(context), 0); }
static inline void resume_own(void *context) { CHECK_EQUAL(sq_resume(context), 0); }

#endif
