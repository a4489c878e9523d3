/* sq_main_actor_check.h: what Swift's runtime takes for the main actor.
 *
 * The compiler infers @MainActor for closures of `DispatchQueue.main`, and checks it where such a closure begins. A test without a main thread
 * runs them on another one. */
#ifndef SQ_MAIN_ACTOR_CHECK_H
#define SQ_MAIN_ACTOR_CHECK_H

/* Makes the check for the main actor hold on each thread where `is_on_main` returns true. No effect in a runtime before Swift 6.2. */
void sq_main_actor_check_extend(_Bool (*_Nonnull is_on_main)(void));

#endif
