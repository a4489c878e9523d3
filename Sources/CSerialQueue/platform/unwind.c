#include "platform/unwind.h"

#include <stdint.h>
#include <unwind.h>

/* Referred to by name from the unwind tables only. */
__attribute__((used, visibility("hidden"))) _Unwind_Reason_Code sq__unwind_personality(
    int version, _Unwind_Action actions, uint64_t class, struct _Unwind_Exception *exception, struct _Unwind_Context *context);

_Unwind_Reason_Code sq__unwind_personality(int version, _Unwind_Action actions, uint64_t class,
                                           struct _Unwind_Exception *exception, struct _Unwind_Context *context) {
    (void)version, (void)class, (void)exception, (void)context;
    sq__unwind_stop(actions & _UA_FORCE_UNWIND ? "pthread_exit or pthread_cancel" : "a C++ exception");
}
