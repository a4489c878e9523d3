/* sq_version.h: which version of the library this is. */
#ifndef SQ_VERSION_H
#define SQ_VERSION_H

#include "sq_types.h"

#ifdef __swift__
#pragma clang assume_nonnull begin
#endif
#ifdef __cplusplus
extern "C" {
#endif

/**
 * The version of these headers, in three numbers.
 *
 * Before 1.0 a new minor version may change anything. From 1.0 on only a new major version may.
 */
#define SQ_VERSION_MAJOR 0
/** The second number of the version. */
#define SQ_VERSION_MINOR 1
/** The third number of the version: a new one brings corrections only. */
#define SQ_VERSION_PATCH 0

/**
 * Returns the version of the library that runs. It may differ from the version of the headers.
 *
 * @return "MAJOR.MINOR.PATCH", such as "1.2.0". A constant string.
 */
const char *sq_version(void);

#ifdef __cplusplus
}
#endif
#ifdef __swift__
#pragma clang assume_nonnull end
#endif
#endif
