/* sq_error.h: what the error codes of this library mean. */
#ifndef SQ_ERROR_H
#define SQ_ERROR_H

#include "sq_types.h"

#ifdef __swift__
#pragma clang assume_nonnull begin
#endif
#ifdef __cplusplus
extern "C" {
#endif

/**
 * Explains an error code of this library in one line.
 *
 * Calls return 0 or an errno code, and each code has the same meaning in all calls. A call that failed did nothing, unless the
 * call's own comment says otherwise. For the details of an EDEADLK call sq_deadlock_report. Any thread may call.
 *
 * @param error The result of a call, or the value that the call left in errno.
 * @return A constant string, without a line break. If no call returns this code, the string says so.
 */
const char *sq_error_text(int error);

#ifdef __cplusplus
}
#endif
#ifdef __swift__
#pragma clang assume_nonnull end
#endif
#endif
