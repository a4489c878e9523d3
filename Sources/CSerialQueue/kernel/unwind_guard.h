/* unwind_guard.h: ends a program that leaves a task without returning from it. */
#pragma once

#include "thread/self.h"

/* Ends the program with a message. `frame`: of the task; NULL: its stack is gone. */
_Noreturn void sq__unwind_left(const char *cause, const sq__frame_t *frame);
