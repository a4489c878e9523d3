/* system.h: the systems that this library supports. Each header of platform/ includes it first, before those of the system, so on any other
 * system every file of the core fails to compile with this message instead of a list of missing functions.
 *
 * DESIGN. The files of platform/ work everywhere. What differs stands in platform/linux and platform/posix, in files of the same names;
 * both are always compiled, and one of the two is empty. The files of posix/ use what every supported system has, so they also
 * run on Linux: SQ_PLATFORM_POSIX selects them there, and the C tests run with them (make check-posix). Only platform/ asks
 * which system it is (scripts/check-system). */
#pragma once

/* All that the C library has: with -std=c11 it would declare what C has. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif

#if !defined(__linux__) && !defined(__APPLE__) && !defined(__FreeBSD__)
#error "SerialQueue supports Linux (glibc or musl), and compiles for macOS and FreeBSD. A port starts in Sources/CSerialQueue/platform/posix."
#endif
#if defined(__SIZEOF_POINTER__) && __SIZEOF_POINTER__ < 8
#error "SerialQueue needs a processor with 64-bit addresses: a queue's state and its waiting tasks share words of 64 bits."
#endif
#if defined(__STDC_NO_ATOMICS__) || (defined(__TINYC__) && !defined(__has_include)) /* older tcc: no stdatomic.h */
#error "SerialQueue needs a C11 compiler with atomics: gcc or clang, -std=c11 or later."
#endif

#if defined(__linux__) && !defined(SQ_PLATFORM_POSIX)
#define SQ__LINUX 1
#else
#define SQ__LINUX 0
#endif
