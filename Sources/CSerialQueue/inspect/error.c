/* error.c: the library's error codes in words. */
#include "include/sq_error.h"

#include <errno.h>

const char *sq_error_text(int error) {
    switch (error) {
    case 0:
        return "no error";
    case EAGAIN:
        return "it would have to wait, and was asked not to: the queue is full or busy, or the deadline is SQ_NOW";
    case EALREADY:
        return "it was submitted or started before, or is over already";
    case EBUSY:
        return "the signal is in use: name another one";
    case ECANCELED:
        return "it was cancelled, and will never run";
    case EDEADLK:
        return "it would wait forever, because what it waits for waits for the caller; sq_deadlock_report names the cycle";
    case EILSEQ:
        return "a schedule failed; the exploration's report names it";
    case EINPROGRESS:
        return "it is under way: the task waits for room, the await has not ended, or the item runs or is being submitted, cancelled or discarded";
    case EINVAL:
        return "an argument is not valid: no function, a struct of an unknown size, or a resume or leave without a suspend or enter before it";
    case ENOMEM:
        return "there is no memory, or no thread could be started";
    case EMFILE:
        return "the process has no file descriptor left for a loop pool";
    case ENFILE:
        return "the system has no file descriptor left for a loop pool";
    case EOVERFLOW:
        return "a count is at its maximum";
    case EPERM:
        return "only the thread that owns it may do this";
    case ESHUTDOWN:
        return "the queue has been shut down";
    case ESTALE:
        return "it is from before a fork; create a new one in the child";
    case ETIMEDOUT:
        return "the deadline passed first";
    default:
        return "not an error code of this library; if a file could not be written, see strerror";
    }
}
