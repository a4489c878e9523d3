/* alone.c: which barriers this thread runs. */
#include "alone.h"

/* A barrier that this thread runs. */
struct alone {
    const sq_queue_t *core;
    struct alone *outer;
};

static _Thread_local struct alone *innermost;

void sq__dispatch_call_alone(dispatch_function_t function, void *context) {
    struct alone mine = { sq_current_queue(), innermost };
    innermost = &mine;
    function(context);
    innermost = mine.outer;
}

bool sq__dispatch_is_alone(const sq_queue_t *core) {
    for (struct alone *each = innermost; each != NULL; each = each->outer) {
        if (each->core == core) {
            return true;
        }
    }
    return false;
}
