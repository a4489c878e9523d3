// What the Java contender measures with: as ../C/harness.h. The compiler of the virtual machine has had its turn before anything is measured.

import java.lang.management.ManagementFactory;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

final class Harness {
    static final boolean QUICK = !"0".equals(System.getenv().getOrDefault("BENCH_QUICK", "0"));
    static String scenario = "";

    private Harness() {}

    static long duration(long number) { return QUICK ? number / 4 : number; }

    static void fail(String why) {
        System.out.flush();
        System.err.println("\njava, " + scenario + ": " + why + ".");
        Runtime.getRuntime().halt(1);
    }

    static void expect(String what, long counted, long expected) {
        if (counted != expected) fail("the count of " + what + " came out wrong: " + counted + " instead of " + expected);
    }

    static void metric(String name, double value) { System.out.printf(java.util.Locale.ROOT, ",\"%s\":%.3f", name, value); }

    static final Semaphore gate = new Semaphore(0);

    static void pass() throws InterruptedException {
        if (!gate.tryAcquire(60, TimeUnit.SECONDS)) fail("a task has not run for a minute");
    }

    /** The one queue of a scenario that checks the order. Only its tasks write. */
    static final class Turns {
        private final long[] next = new long[16]; // by producer
        private long counted;
        volatile long target;

        void count() {
            if (++counted == target) gate.release();
        }

        void inTurn(int producer, long number) {
            if (next[producer]++ != number) fail("a task has run out of its turn");
            count();
        }

        long counted() { return counted; }
    }

    static final class Meter {
        private static final com.sun.management.OperatingSystemMXBean SYSTEM =
            (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        long wall, cpu, tasks;
        private long began, cpuBegan;

        void start() {
            cpuBegan = SYSTEM.getProcessCpuTime();
            began = System.nanoTime();
        }

        void stop(long done) {
            wall += System.nanoTime() - began;
            cpu += SYSTEM.getProcessCpuTime() - cpuBegan;
            tasks += done;
        }

        void report() {
            metric("tasks", tasks);
            metric("wall", (double) wall / tasks);
            metric("cpu", (double) cpu / tasks);
        }
    }

    /** Bytes of what lives on the heap. */
    static long heap() {
        for (int i = 0; i < 3; ++i) System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }

    interface Action {
        void run() throws Exception;
    }

    private static final long WARM_UP = duration(1_000_000_000L);

    /** Repeats what is measured later until the virtual machine has compiled it. */
    static void warmUp(Action once) throws Exception {
        for (long end = System.nanoTime() + WARM_UP; System.nanoTime() < end;) once.run();
        System.gc();
    }

    /** After a warm-up: calls `once`, which does `tasks` tasks, for 0.3 s. */
    static void againAndAgain(long tasks, Action once) throws Exception {
        warmUp(once);
        Meter meter = new Meter();
        long done = 0, end = System.nanoTime() + duration(300_000_000);
        meter.start();
        do {
            once.run();
            done += tasks;
        } while (System.nanoTime() < end);
        meter.stop(done);
        meter.report();
    }
}
