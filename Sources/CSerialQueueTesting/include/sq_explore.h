/* sq_explore.h: deterministic tests of a program's own code, under many schedules.
 *
 * These calls are libserialqueue-testing, a library that tests are linked with, and no other programs. It needs the core of its own release.
 *
 * A test is a function that gets a manual pool, makes its queues on the pool, and checks the result. sq_explore calls the test many times. Each time
 * the pool decides differently where threads would be free to:
 *
 *   - which ready queue is next (each queue keeps its order)
 *   - which timer fires first, if timers of several queues are due at the same time
 *   - whether a timed wait expires
 *   - whether another task goes first: before and after a task syncs, takes a semaphore's permit or cancels an item; and where a task finds a
 *     bounded queue full or yields
 *
 * Nothing else interrupts a task. So an exploration finds a wrong order of tasks, never a data race within them: use ThreadSanitizer for data races.
 *
 * The test must be deterministic: no other threads, no real clock, no random numbers of its own. If a failure does not repeat, the report names the
 * first step that was different. A failure is shrunk only to a failure whose message has the same words, except numbers, and the same line.
 *
 * Depth first leaves no order out: it runs both orders of two tasks on different queues, even if the tasks have no object of this library in common.
 * The order may not matter then, but the library cannot see what the tasks read and write. */
#ifndef SQ_EXPLORE_H
#define SQ_EXPLORE_H

#include "sq_types.h"

#ifdef __swift__
#pragma clang assume_nonnull begin
#endif
#ifdef __cplusplus
extern "C" {
#endif

/** How schedules are chosen. */
typedef enum sq_explore_strategy {
    SQ_EXPLORE_RANDOM = 0,      /**< each decision at random */
    SQ_EXPLORE_PCT = 1,         /**< random priorities of queues and threads, which change at a few random steps */
    SQ_EXPLORE_DEPTH_FIRST = 2  /**< all schedules: first those with no unusual decision (Documentation/Exploring.md), then with one, two, ... */
} sq_explore_strategy_t;

/** What a test is explored with. Begin with SQ_EXPLORE_OPTIONS_INIT and change what you need. */
typedef struct sq_explore_options {
    size_t size;                    /**< sizeof(sq_explore_options_t), so that later versions can add fields */
    const char *SQ_NULLABLE name;   /**< the test's name, which tapes begin with: not empty, no blank, '/' or apostrophe; NULL: the
                                         function's symbol */
    sq_explore_strategy_t strategy; /**< SQ_EXPLORE_RANDOM if you don't set it */
    uint64_t schedules;             /**< how many at most; 0: 1,000; never more than SQ_SCHEDULES in the environment */
    uint64_t seed;                  /**< of the random strategies; 0: SQ_SEED in the environment, or 1 */
    unsigned depth;                 /**< PCT: the number of priority changes, 0: 3. Depth first: the most unusual decisions in a schedule, 0: no
                                         limit */
    uint64_t steps;                 /**< a schedule with more decisions fails, because it has no end; 0: 100,000 */
    const char *SQ_NULLABLE tape;   /**< only replays this tape; NULL: SQ_TAPE in the environment, if it is a tape of this test */
    bool shows_progress;            /**< writes the progress to stderr once a second; also if false, when stderr is a terminal */
} sq_explore_options_t;

/** The default options: 1,000 random schedules. */
#define SQ_EXPLORE_OPTIONS_INIT { sizeof(sq_explore_options_t), NULL, SQ_EXPLORE_RANDOM, 0, 0, 0, 0, NULL, false }

/** What came out. Begin with SQ_EXPLORED_INIT; release it with sq_explored_clear. */
typedef struct sq_explored {
    size_t size;             /**< sizeof(sq_explored_t) */
    uint64_t schedules;      /**< how many were run until the first failure, or in all */
    bool is_complete;        /**< depth first: all schedules with at most options.depth unusual decisions were run (see the top: nothing else
                                  interrupts a task) */
    bool has_failed;         /**< a schedule failed; the next fields are about this schedule */
    bool is_repeatable;      /**< the schedule failed again, in the same way, when it was run again */
    uint64_t seed;           /**< the seed with which the schedule is the first one */
    size_t choices;          /**< decisions in the schedule that was found */
    size_t choices_that_matter; /**< unusual decisions in the shrunk schedule: without any of them it does not fail in this way */
    char *SQ_NULLABLE message;  /**< why the schedule failed, one line */
    char *SQ_NULLABLE tape;     /**< the shrunk schedule, for SQ_TAPE */
    char *SQ_NULLABLE report;   /**< the whole report: message, seed, tape, timeline, and what would make the test pass */
    /* The next three are 0 unless the strategy is depth first. */
    size_t complete_depth;   /**< all schedules with at most this number of unusual decisions were run */
    uint64_t known;          /**< the least number of schedules with at most options.depth unusual decisions; the exact number if
                                  is_complete, or if options.depth is complete_depth + 1 */
    double estimate;         /**< an estimate of the number of all schedules, whatever options.depth is. Exact if all were run; otherwise it may be
                                  wrong by a factor of ten. INFINITY: more than a double can say */
    char *SQ_NULLABLE summary;  /**< how much was run, which limit ended it, and what to raise; NULL after a failure */
} sq_explored_t;

/** An empty result. */
#define SQ_EXPLORED_INIT { sizeof(sq_explored_t), 0, false, false, false, 0, 0, 0, NULL, NULL, NULL, 0, 0, 0, NULL }

/** Frees the strings of a result and empties it. */
void sq_explored_clear(sq_explored_t *explored);

/**
 * Runs a test under many schedules, until one fails.
 *
 * Each run gets a new manual pool, whose tasks run on the calling thread and on threads that sleep while another runs. When `test` has
 * returned, the tasks that are still ready are run. A run fails if the test called sq_explore_fail, if a call returned EDEADLK, or if a thread
 * would wait forever. A failure is run again, shrunk and drawn. If SQ_TAPE in the environment is a tape of this test, only this tape is run. A trap, an
 * abort or a wild pointer first writes the tape to stderr. `test` must return: after an exception or a longjmp the thread stays in the run.
 *
 * @param options NULL: the defaults.
 * @param explored Receives the result; NULL: a failure's report goes to stderr.
 * @retval 0 No schedule failed.
 * @retval EILSEQ A schedule has failed: see *explored.
 * @retval EINVAL Options or a result of an unknown size; a bad name, a damaged tape, or an options->tape of another test. The report says why.
 * @retval EALREADY This thread is exploring already.
 * @retval ENOMEM No memory, or no thread could be started.
 */
int sq_explore(const sq_explore_options_t *SQ_NULLABLE options, void (*test)(sq_pool_t *pool, void *SQ_NULLABLE context),
               void *SQ_NULLABLE context, sq_explored_t *SQ_NULLABLE explored);

/* In a test */

/**
 * Fails this run. The first message of a run counts; the test continues.
 *
 * Any thread of the run may call. Outside of a run the call writes the message to stderr and aborts.
 *
 * @param message One line; copied.
 */
void sq_explore_fail(const char *message);

/** Fails this run unless the condition holds; the message is the condition, with file and line. */
#define SQ_EXPLORE_CHECK(condition) \
    ((condition) ? (void)0 : sq_explore_fail_at(#condition, __FILE__, __LINE__))
/** What SQ_EXPLORE_CHECK calls. */
void sq_explore_fail_at(const char *condition, const char *file, int line);

/**
 * Names the running task in the timeline, instead of its function: for closures and generic trampolines.
 *
 * @param label Copied if the run is being recorded, otherwise ignored. No effect outside of a run.
 */
void sq_explore_label(const char *label);

/**
 * Takes a decision of the test's own: for example what a network answers, or which request is first.
 *
 * @param count The number of answers; at least 1.
 * @return A number below `count`; 0, the usual answer, if the pool is not being explored.
 */
size_t sq_pool_choose(sq_pool_t *pool, size_t count);

/**
 * Lets other tasks run here, if the schedule says so. For code that waits in other ways than through this library.
 *
 * No effect if the pool is not being explored, or if the calling thread does not belong to the run.
 */
void sq_pool_yield(sq_pool_t *pool);

/** Returns whether the calling thread runs a test that is being explored, or a task of such a test. */
bool sq_is_exploring(void);

/* For other languages and test frameworks: the loop of sq_explore, from outside. */

/**
 * An exploration of one test. Opaque.
 *
 * Its calls come from one thread; a thread has one exploration at a time.
 */
typedef struct sq_exploration sq_exploration_t;

/**
 * Begins an exploration. `options->name` is needed.
 *
 * @param explored Receives the reason (EINVAL because of the tape); NULL: not needed.
 * @return The exploration, or NULL with errno EINVAL or ENOMEM, as sq_explore.
 */
sq_exploration_t *SQ_NULLABLE sq_exploration_create(const sq_explore_options_t *options, sq_explored_t *SQ_NULLABLE explored);

/**
 * Begins the next run, on the calling thread: a schedule to try, a failure to repeat or to shrink, or the failure to draw.
 *
 * The caller runs the test on this pool, steps until the test is over and nothing is left to do, and ends the run.
 *
 * @return The run's pool, borrowed: valid until the run's end, and longer if the test retains the pool. NULL: the exploration is over; call
 * sq_exploration_finish.
 */
sq_pool_t *SQ_NULLABLE sq_exploration_begin_run(sq_exploration_t *exploration);

/**
 * Takes one step of the run: a task of a ready queue, or a thread that can stop waiting.
 *
 * If there is neither, and `moves_clock` is true, the step moves the pool's clock to the next timer. If the task waits, other steps may have been
 * taken before this call returns.
 *
 * @retval true A step was taken.
 * @retval false There is nothing to do: the test is over, or waits for something that is not on the pool.
 */
bool sq_exploration_step(sq_exploration_t *exploration, bool moves_clock);

/**
 * Ends the run. Tasks that are still ready are run first. A thread that would wait forever is a failure.
 *
 * @param failure Why the test failed; NULL: it passed, unless sq_explore_fail was called.
 * @return The run's verdict: true if it passed.
 */
bool sq_exploration_end_run(sq_exploration_t *exploration, const char *SQ_NULLABLE failure);

/**
 * Adds a line about the run to its report, such as a job that escaped to another executor. Any thread of the run.
 *
 * @param is_outside True: the schedule did not control what happened. If a failure does not repeat, its report has this note.
 */
void sq_exploration_note(sq_exploration_t *exploration, bool is_outside, const char *note);

/**
 * Returns the result, and frees the exploration. `explored` NULL: a failure's report goes to stderr.
 *
 * @retval 0, EILSEQ, ENOMEM As sq_explore.
 */
int sq_exploration_finish(sq_exploration_t *exploration, sq_explored_t *SQ_NULLABLE explored);

#ifdef __cplusplus
}
#endif
#ifdef __swift__
#pragma clang assume_nonnull end
#endif
#endif
