// A serial queue in Java: Executors.newSingleThreadExecutor(); with a capacity, a thread on an ArrayBlockingQueue; pooled, an executor that runs its
// tasks one by one on a ForkJoinPool. The scenarios: ../C/scenarios/peers.h.

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

public final class Scenarios {
    private Scenarios() {}

    /** Whoever finds it idle has the pool run what is in it. */
    private static final class Serial implements Executor, Runnable {
        private final ConcurrentLinkedQueue<Runnable> tasks = new ConcurrentLinkedQueue<>();
        private final AtomicInteger waiting = new AtomicInteger();

        @Override public void execute(Runnable task) {
            tasks.add(task);
            if (waiting.getAndIncrement() == 0) POOL.execute(this);
        }

        @Override public void run() {
            int ran = 0;
            do {
                tasks.poll().run();
            } while (++ran < 64 && waiting.decrementAndGet() > 0);
            if (ran == 64 && waiting.decrementAndGet() > 0) POOL.execute(this);
        }
    }

    private static final ForkJoinPool POOL =
        new ForkJoinPool(Runtime.getRuntime().availableProcessors(), ForkJoinPool.defaultForkJoinWorkerThreadFactory, null, true);

    private interface Submit {
        void task(Runnable task) throws InterruptedException;
    }

    private static void submitFromAll(Submit queue, Harness.Turns turns, int producers, long from, long to) throws InterruptedException {
        List<Thread> threads = new ArrayList<>();
        turns.target += (to - from) * producers;
        for (int i = producers - 1; i >= 0; --i) {
            int producer = i;
            Runnable submit = () -> {
                try {
                    for (long number = from; number < to; ++number) {
                        long mine = number;
                        queue.task(() -> turns.inTurn(producer, mine));
                    }
                } catch (InterruptedException interrupted) {
                    Harness.fail("a producer was interrupted");
                }
            };
            if (i == 0) {
                submit.run();
            } else {
                threads.add(new Thread(submit));
                threads.get(threads.size() - 1).start();
            }
        }
        for (Thread thread : threads) thread.join();
        Harness.pass();
    }

    /** `cold`: what is measured is the first large backlog; smaller ones have warmed up the compiler. */
    private static void submitting(Submit queue, int producers, long tasks, boolean cold) throws Exception {
        Harness.Turns turns = new Harness.Turns();
        long[] given = {0};
        long few = Math.min(tasks, 20_000) / producers, share = tasks / producers;
        Harness.Meter meter = new Harness.Meter();
        Harness.warmUp(() -> submitFromAll(queue, turns, producers, given[0], given[0] += few));
        if (!cold) submitFromAll(queue, turns, producers, given[0], given[0] += share);
        do {
            meter.start();
            submitFromAll(queue, turns, producers, given[0], given[0] += share);
            meter.stop(share * producers);
        } while (!cold && meter.wall < Harness.duration(300_000_000));
        Thread.sleep(1); // a task that runs twice has time to be seen
        Harness.expect("async tasks that ran", turns.counted(), given[0] * producers);
        meter.report();
    }

    private static Submit bounded(int capacity) {
        ArrayBlockingQueue<Runnable> tasks = new ArrayBlockingQueue<>(capacity);
        Thread thread = new Thread(() -> {
            try {
                for (;;) tasks.take().run();
            } catch (InterruptedException interrupted) {
                Harness.fail("the queue was interrupted");
            }
        });
        thread.setDaemon(true);
        thread.start();
        return tasks::put;
    }

    private static long ask(ExecutorService queue, Harness.Turns turns, long until) {
        long done = 0;
        try {
            do {
                queue.submit(turns::count).get();
                ++done;
            } while (System.nanoTime() < until);
        } catch (Exception failure) {
            Harness.fail("an answer failed: " + failure);
        }
        return done;
    }

    private static long askFromAll(ExecutorService queue, Harness.Turns turns, int threads, long nanoseconds) throws InterruptedException {
        AtomicLong total = new AtomicLong();
        List<Thread> all = new ArrayList<>();
        long end = System.nanoTime() + nanoseconds;
        for (int i = 0; i < threads; ++i) {
            all.add(new Thread(() -> total.addAndGet(ask(queue, turns, end))));
            all.get(i).start();
        }
        for (Thread thread : all) thread.join();
        return total.get();
    }

    private static void asking(int threads) throws InterruptedException {
        ExecutorService queue = Executors.newSingleThreadExecutor();
        Harness.Turns turns = new Harness.Turns();
        long warmUp = askFromAll(queue, turns, threads, Harness.duration(1_000_000_000));
        Harness.Meter meter = new Harness.Meter();
        meter.start();
        long done = askFromAll(queue, turns, threads, Harness.duration(400_000_000));
        meter.stop(done);
        Harness.expect("tasks that ran", turns.counted(), warmUp + done);
        meter.report();
    }

    private static final class Side implements Runnable {
        final Serial queue = new Serial();
        Side other;
        final long[] left;

        Side(long[] left) { this.left = left; }

        @Override public void run() {
            if (--left[0] == 0) Harness.gate.release();
            else other.queue.execute(other);
        }
    }

    private static void toAndFro() throws Exception {
        long[] left = {0};
        Side a = new Side(left), b = new Side(left);
        a.other = b;
        b.other = a;
        Harness.againAndAgain(10_000, () -> {
            left[0] = 10_000;
            a.queue.execute(a);
            Harness.pass();
        });
    }

    private static void single(boolean pooled) throws Exception {
        Harness.Turns turns = new Harness.Turns();
        long[] made = {0};
        Harness.againAndAgain(1, () -> {
            ++made[0];
            FutureTask<Void> task = new FutureTask<>(turns::count, null);
            if (pooled) {
                new Serial().execute(task);
            } else {
                ExecutorService queue = Executors.newSingleThreadExecutor();
                queue.execute(task);
                queue.shutdown();
            }
            task.get();
        });
        Harness.expect("tasks that ran", turns.counted(), made[0]);
    }

    private static ScheduledThreadPoolExecutor clock() {
        ScheduledThreadPoolExecutor clock = new ScheduledThreadPoolExecutor(1);
        clock.setRemoveOnCancelPolicy(true); // else what is cancelled stays until its time
        return clock;
    }

    private static void never() { Harness.fail("a timer has fired"); }

    private static void timers(ScheduledThreadPoolExecutor clock, int count) {
        ScheduledFuture<?>[] all = new ScheduledFuture<?>[count];
        for (int i = 0; i < count; ++i) {
            all[i] = clock.schedule(Scenarios::never, 3_600_000_000L + i * 7919L % count, TimeUnit.MICROSECONDS);
        }
        for (int i = 0; i < count; ++i) all[(int) (i * 104_729L % count)].cancel(false);
        Harness.expect("timers that are left", clock.getQueue().size(), 0);
    }

    private static void timersAtATime(int count) throws Exception {
        ScheduledThreadPoolExecutor clock = clock();
        Harness.warmUp(() -> timers(clock, 10_000));
        Harness.Meter meter = new Harness.Meter();
        meter.start();
        timers(clock, count);
        meter.stop(count);
        meter.report();
    }

    private static void timerBrief() throws Exception {
        ScheduledThreadPoolExecutor clock = clock();
        Harness.againAndAgain(1000, () -> {
            for (int i = 0; i < 1000; ++i) clock.schedule(Scenarios::never, 1, TimeUnit.HOURS).cancel(false);
        });
    }

    private static void memoryUnused() {
        int count = 1_000_000;
        Serial[] all = new Serial[count];
        long before = Harness.heap();
        for (int i = 0; i < count; ++i) all[i] = new Serial();
        Harness.metric("heap", (double) (Harness.heap() - before) / count);
        for (Serial each : all) Harness.expect("tasks of an idle queue", each.waiting.get(), 0); // they live until here
    }

    private static boolean run(String name, int number) throws Exception {
        switch (name) {
            case "backlog-cold", "backlog" ->
                submitting(Executors.newSingleThreadExecutor()::execute, number, Harness.duration(2_000_000), name.equals("backlog-cold"));
            case "bounded" -> submitting(bounded(1024), number, 500_000, false);
            case "sync-contended" -> asking(number);
            case "async-wait" -> asking(1);
            case "to-and-fro" -> toAndFro();
            case "single" -> single(false);
            case "single-pooled" -> single(true);
            case "timers", "timers-plain" -> timersAtATime(number);
            case "timer-brief", "timer-brief-plain" -> timerBrief();
            case "memory-unused" -> memoryUnused();
            default -> { return false; }
        }
        return true;
    }

    public static void main(String[] words) throws Exception {
        Harness.scenario = words[0];
        System.out.printf("{\"contender\":\"java\",\"scenario\":\"%s\"", words[0]);
        java.util.regex.Matcher parts = java.util.regex.Pattern.compile("(.*?)(?:-(\\d+))?").matcher(words[0]);
        if (!parts.matches() || !run(parts.group(1), parts.group(2) == null ? 0 : Integer.parseInt(parts.group(2)))) {
            System.out.print(",\"na\":\"it has no such call\"");
        }
        System.out.println("}");
        System.out.flush();
        Runtime.getRuntime().halt(0);
    }
}
