/* version.c: the version of the library. */
#include "include/sq_version.h"

#define TEXT_OF(number) #number
#define JOIN(major, minor, patch) TEXT_OF(major) "." TEXT_OF(minor) "." TEXT_OF(patch)

const char *sq_version(void) { return JOIN(SQ_VERSION_MAJOR, SQ_VERSION_MINOR, SQ_VERSION_PATCH); }
