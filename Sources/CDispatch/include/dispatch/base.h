/* base.h: what the other headers use. Include <dispatch/dispatch.h>. */
#ifndef SQ_DISPATCH_BASE_H
#define SQ_DISPATCH_BASE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

/** The version of libdispatch's interface that these headers have. */
#define DISPATCH_API_VERSION 20180109

#ifdef __cplusplus
/** Begins declarations with C linkage. */
#define SQ_DISPATCH_BEGIN extern "C" {
/** Ends them. */
#define SQ_DISPATCH_END }
#else
/** Begins declarations with C linkage. */
#define SQ_DISPATCH_BEGIN
/** Ends them. */
#define SQ_DISPATCH_END
#endif

/* The names of libdispatch's symbols must stay free: a program may have both libraries. */
#define SQ_DISPATCH_TEXT_(text) #text
#define SQ_DISPATCH_TEXT(text) SQ_DISPATCH_TEXT_(text)
/** Gives a declaration its symbol, sq_ and its name. */
#define SQ_DISPATCH_SYMBOL(name) __asm__(SQ_DISPATCH_TEXT(__USER_LABEL_PREFIX__) "sq_" #name)

/** Marks a result that must be used. */
#define DISPATCH_WARN_RESULT __attribute__((__warn_unused_result__))
/** Marks a function that does not return. */
#define DISPATCH_NORETURN __attribute__((__noreturn__))
/** Tells the compiler which value an expression has most often. */
#define DISPATCH_EXPECT(x, v) __builtin_expect((x), (v))

/* Programs that were written for libdispatch use them. */
#ifndef __clang__
#ifndef _Nullable
#define _Nullable
#endif
#ifndef _Nonnull
#define _Nonnull
#endif
#endif
#ifdef __has_attribute
#if __has_attribute(noescape)
/** Marks a block that is called before the call returns. */
#define DISPATCH_NOESCAPE __attribute__((__noescape__))
#endif
#endif
#ifndef DISPATCH_NOESCAPE
/** Marks a block that is called before the call returns. */
#define DISPATCH_NOESCAPE
#endif

/** A function that is called with the context that was given with it. */
typedef void (*dispatch_function_t)(void *context);

#ifdef __BLOCKS__
/** A block without arguments. */
typedef void (^dispatch_block_t)(void);
#endif

#endif
