#include "sq_main_actor_check.h"
#include "sq_task_hook.h"

#include <stdint.h>

#define SWIFT_CALL __attribute__((swiftcall))

/* Part of the runtime's interface, which calls the hook instead of its own function. 1: the caller is isolated; 0: it is not; -1: unknown. */
typedef SWIFT_CALL int8_t (*is_isolating_t)(sq_task_executor_t executor);
extern SWIFT_CALL int8_t (*swift_task_isIsolatingCurrentContext_hook)(sq_task_executor_t executor, is_isolating_t original) __attribute__((weak));
SWIFT_CALL _Bool swift_task_isMainExecutor(sq_task_executor_t executor);

static _Bool (*asked)(void); /* set before the hook */

static SWIFT_CALL int8_t is_isolating(sq_task_executor_t executor, is_isolating_t original) {
    return swift_task_isMainExecutor(executor) && asked() ? 1 : original(executor);
}

void sq_main_actor_check_extend(_Bool (*is_on_main)(void)) {
    if (&swift_task_isIsolatingCurrentContext_hook != NULL) {
        asked = is_on_main;
        __atomic_store_n(&swift_task_isIsolatingCurrentContext_hook, is_isolating, __ATOMIC_RELEASE);
    }
}
