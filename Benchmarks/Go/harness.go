// What the Go contender measures with: as ../C/harness.h.
package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// A task: a function and a word, as in C; no allocation.
type task struct {
	run  func(uint64)
	word uint64
}

func fail(why string, values ...any) {
	fmt.Fprintf(os.Stderr, "\ngo, %s: %s.\n", strings.Join(os.Args[1:], " "), fmt.Sprintf(why, values...))
	os.Exit(1)
}

func expect(what string, counted, expected uint64) {
	if counted != expected {
		fail("the count of %s came out wrong: %d instead of %d", what, counted, expected)
	}
}

func duration(number uint64) uint64 {
	if quick := os.Getenv("BENCH_QUICK"); quick != "" && quick != "0" {
		return number / 4
	}
	return number
}

// The one queue of a scenario that checks the order. Only its tasks write; its cache lines are its own.
var turns struct {
	before  [128]byte
	next    [16]uint64 // by producer
	counted uint64
	target  uint64
	after   [128]byte
}
var gate = make(chan struct{}, 1)

func countAndOpen(uint64) {
	turns.counted++
	if turns.counted == turns.target {
		gate <- struct{}{}
	}
}

func inTurn(word uint64) {
	producer, number := word>>32, word&0xffffffff
	if turns.next[producer] != number {
		fail("a task has run out of its turn")
	}
	turns.next[producer]++
	countAndOpen(0)
}

type meter struct {
	wall, cpu, tasks uint64
	began            time.Time
	cpuBegan         uint64
}

func processorTime() uint64 {
	var usage syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	return uint64(usage.Utime.Nano() + usage.Stime.Nano())
}

func (m *meter) start() {
	m.cpuBegan = processorTime()
	m.began = time.Now()
}

func (m *meter) stop(tasks uint64) {
	m.wall += uint64(time.Since(m.began))
	m.cpu += processorTime() - m.cpuBegan
	m.tasks += tasks
}

func (m *meter) report() {
	metric("tasks", float64(m.tasks))
	metric("wall", float64(m.wall)/float64(m.tasks))
	metric("cpu", float64(m.cpu)/float64(m.tasks))
}

func metric(name string, value float64) { fmt.Printf(",\"%s\":%.3f", name, value) }

// Calls pass() at least twice, the first time to warm up.
func passes(tasks uint64, pass func()) {
	var all meter
	for i := 0; i < 2 || all.wall < duration(300000000); i++ {
		warmUp := meter{}
		measured := &all
		if i == 0 {
			measured = &warmUp
		}
		measured.start()
		pass()
		measured.stop(tasks)
	}
	all.report()
}

// Calls once() without pause, first 1,000 times to warm up.
func againAndAgain(once func()) {
	for i := 0; i < 1000; i++ {
		once()
	}
	var all meter
	end, done := time.Now().Add(time.Duration(duration(300000000))), uint64(0)
	all.start()
	for ; time.Now().Before(end); done++ {
		once()
	}
	all.stop(done)
	expect("tasks that ran", turns.counted, done+1000)
	all.report()
}

func main() {
	if len(os.Args) != 2 {
		fail("usage: SCENARIO[-NUMBER]")
	}
	name, number := os.Args[1], uint64(0)
	fmt.Printf("{\"contender\":\"go\",\"scenario\":\"%s\"", name)
	if at := strings.LastIndexByte(name, '-'); at >= 0 {
		if parsed, err := strconv.ParseUint(name[at+1:], 10, 64); err == nil {
			name, number = name[:at], parsed
		}
	}
	if run, there := scenarios[name]; there {
		run(number)
	} else {
		fmt.Printf(",\"na\":\"it has no such call\"")
	}
	fmt.Println("}")
}
