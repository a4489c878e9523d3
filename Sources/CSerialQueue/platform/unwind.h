/* unwind.h: a task must end by returning.
 *
 * DESIGN. A C++ exception, pthread_exit and pthread_cancel unwind the stack frame by frame, and ask each frame's personality
 * routine what to clean up. The functions that call user code name a routine that writes a message and does not let it pass
 * (kernel/unwind_guard.c): a baton lost this way would silently stop the queue. pthread_exit and pthread_cancel end in abort, a C++ exception in
 * std::terminate. This costs nothing while nothing unwinds. Where the
 * compiler does not write its unwind tables through the assembler, the mark is empty, and the frame is unwound like that of any
 * other C function. musl's pthread_exit asks no frame, see sq__thread_when_left; nor does longjmp, see sq__current_check_jump. */
#pragma once

#include "platform/system.h"

#if defined(__ELF__) && defined(__GCC_HAVE_DWARF2_CFI_ASM) && (defined(__x86_64__) || defined(__aarch64__) || defined(__riscv) || defined(__s390x__))
/* In the body of each function that calls user code. 0x1b: a 32-bit offset from here. */
#define SQ__NOBODY_UNWINDS_THROUGH __asm__ __volatile__(".cfi_personality 0x1b, sq__unwind_personality")
#else
#define SQ__NOBODY_UNWINDS_THROUGH ((void)0)
#endif

/* An address of the calling function's stack frame that is below all of its caller's variables, and above those of its callees. On x86-64 the
 * frame pointer is one; elsewhere it may point to the lower end of the frame, which a function that replaces this one may lie above. */
#if defined(__x86_64__)
#define SQ__FRAME_TOP __builtin_frame_address(0)
#else
#define SQ__FRAME_TOP __builtin_dwarf_cfa()
#endif
