/* puzzle.c: four small programs on one serial queue, with all that they can print, and nothing else. */
#include "scenario.h"

#include <errno.h>

const scenario_t puzzle_scenarios[] = {
    { "puzzle_sync", "sync 1; 2; sync 3; 4", "sync(1) 2 sync(3) 4", .prints = { "1234" } },
    { "puzzle_async", "async 1; 2; async 3; 4", "async(1) 2 async(3) 4", .prints = { "1234 1243 2134 2143 2413" } },
    { "puzzle_deadlock", "1; async { 2; sync { 3 }; 4 }; 5: the inner sync gets EDEADLK", "1 async(2 sync(3) 4) 5",
      .expect = { .may = ERROR_BIT(EDEADLK), .deadlocks = 1 }, .prints = { "1524 1254 1245" } },
    { "puzzle_nested", "1; sync { 2; async { 3 }; 4 }; 5", "1 sync(2 async(3) 4) 5", .prints = { "12435 12453" } },
    { 0 },
};
