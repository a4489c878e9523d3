/* keeper.h: the thread that starts threads for clients for which none could be started. cache.h has the design. */
#pragma once

#include <stdbool.h>

/* L. True: there is one, perhaps since now. If its token is woken, it serves the line. False: there was none, and it could not be started. */
bool sq__keeper_is_there(void);

/* L. Nobody needs it any more, if there is neither a client nor a thread. */
void sq__keeper_end_if_idle(void);
