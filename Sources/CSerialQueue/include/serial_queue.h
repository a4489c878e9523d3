/* serial_queue.h: everything, in reading order. */
#ifndef SERIAL_QUEUE_H
#define SERIAL_QUEUE_H

#include "sq_types.h"
#include "sq_version.h"
#include "sq_error.h"
#include "sq_time.h"
#include "sq_pool.h"
#include "sq_loop.h"
#include "sq_queue.h"
#include "sq_async.h"
#include "sq_deferred.h"
#include "sq_sync.h"
#include "sq_barrier.h"
#include "sq_apply.h"
#include "sq_current.h"
#include "sq_value.h"
#include "sq_timer.h"
#include "sq_suspend.h"
#include "sq_shutdown.h"
#include "sq_histogram.h"
#include "sq_stats.h"
#include "sq_watch.h"
#include "sq_inspect.h"
#include "sq_trace.h"
#include "sq_item.h"
#include "sq_group.h"
#include "sq_semaphore.h"
#include "sq_once.h"
#include "sq_await.h"

#endif
