/* layout.h: the tables of all rooms' records (platform/layout.h). */
#pragma once

/* Has no effect: the linker keeps the tables, as something calls this. */
void sq__layout_keep(void);
