/* unwind.h: nobody unwinds here. */
#ifndef SQ__PLATFORM_UNWIND_H
#define SQ__PLATFORM_UNWIND_H
#define SQ__NOBODY_UNWINDS_THROUGH ((void)0)
#define SQ__FRAME_TOP __builtin_frame_address(0)
#endif
