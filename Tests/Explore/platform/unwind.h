/* unwind.h: nobody unwinds here. */
#ifndef SQ__PLATFORM_UNWIND_H
#define SQ__PLATFORM_UNWIND_H
#define SQ__NOBODY_UNWINDS_THROUGH ((void)0)
#endif
