/* system.h: the systems that this library supports. Each header of platform/ includes it first, so on any other system every file
 * of the core fails to compile with this message instead of a list of missing functions. */
#ifndef SQ__PLATFORM_SYSTEM_H
#define SQ__PLATFORM_SYSTEM_H

#if !defined(__linux__)
#error "SerialQueue supports Linux only (glibc or musl). On Apple systems use DispatchQueue. A port is a new Sources/CSerialQueue/platform."
#endif
#if defined(__STDC_NO_ATOMICS__)
#error "SerialQueue needs a C11 compiler with atomics: gcc or clang, -std=c11 or later."
#endif

#endif
