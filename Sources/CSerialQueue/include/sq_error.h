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
 * Calls return 0 or an errno code, and each code means the same wherever it is returned. A call that failed did nothing,
 * unless its own comment says otherwise. EDEADLK has more to say: sq_deadlock_report. Any thread may call.
 *
 * @param error What a call returned, or what it left in errno.
 * @return A constant string, without a line break. For a code that no call returns it says so.
 */
const char *sq_error_text(int error);

#ifdef __cplusplus
}
#endif
#ifdef __swift__
#pragma clang assume_nonnull end
#endif
#endif
