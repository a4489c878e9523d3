/* parts_scene.h: a pool in parts (pool/parts.h) with ready entries of the scenario's own: what no queue can bring about within a search that ends.
 * An entry that waits in the library lends its member's seat, and passes a gate instead of sleeping on a token. */
#ifndef PARTS_SCENE_H
#define PARTS_SCENE_H

#include "scenario.h"

#include "pool/members.h"
#include "pool/pool.h"
#include "pool/pool_internal.h"
#include "thread/self.h"

extern sq__pool_t *pool;

/* Of so many seats, so many in a part. A check of growth would find an entry that nobody came for, a second later: there is none. */
void parts_begin(size_t seats, size_t part_seats);

/* All entries have ended, or are about to return. */
void parts_end(void);

/* The pool is freed, or about to be. */
void parts_end_stage(void);

/* A pool counts the members of all its parts, and may have no more than it says. */
void parts_check_members(unsigned most);

/* The entry that is posted next. */
sq__ready_t *parts_next_entry(void);

void parts_post(sq__band_t band, void (*run)(void));
void parts_post_turns(sq__band_t band, void (*run)(void), void (*then)(void)); /* `then` in another turn, unless it is NULL */
void parts_post_and_await(unsigned gate, void (*run)(void));
void parts_open_and_await(unsigned gate, unsigned answer);

#endif
