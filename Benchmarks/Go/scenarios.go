// A serial queue in Go: a goroutine that takes tasks out of a channel. The scenarios: ../C/scenarios/peers.h. Who submits or asks is a goroutine, too.
package main

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

func runAll(tasks chan task) {
	for each := range tasks {
		each.run(each.word)
	}
}

// Go has no channel without a capacity: one that never fills up stands for it.
func newQueue(capacity uint64) chan task {
	tasks := make(chan task, capacity)
	go runAll(tasks)
	return tasks
}

func submitFromAll(tasks chan task, producers, from, to uint64) {
	var all sync.WaitGroup
	for producer := uint64(0); producer < producers; producer++ {
		all.Add(1)
		go func(producer uint64) {
			for number := from; number < to; number++ {
				tasks <- task{inTurn, producer<<32 | number}
			}
			all.Done()
		}(producer)
	}
	all.Wait()
	<-gate
}

func submitting(queue chan task, producers, tasks uint64, warm bool) {
	share, from := tasks/producers, uint64(0)
	pass := func() {
		turns.target += share * producers
		submitFromAll(queue, producers, from, from+share)
		from += share
	}
	if warm {
		passes(share*producers, pass)
	} else {
		var once meter
		once.start()
		pass()
		once.stop(share * producers)
		once.report()
	}
	time.Sleep(time.Millisecond) // a task that runs twice has time to be seen
	expect("async tasks that ran", turns.counted, turns.target)
}

var replies []chan struct{} // of those that ask

func answer(asker uint64) {
	turns.counted++
	replies[asker] <- struct{}{}
}

func ask(queue chan task, asker uint64) {
	queue <- task{answer, asker}
	<-replies[asker]
}

func newReplies(count uint64) {
	for i := uint64(0); i < count; i++ {
		replies = append(replies, make(chan struct{}, 1))
	}
}

func asking(askers uint64) {
	queue := newQueue(64)
	newReplies(askers)
	var enough atomic.Bool
	var total atomic.Uint64
	var all sync.WaitGroup
	var race meter
	race.start()
	time.AfterFunc(time.Duration(duration(400000000)), func() { enough.Store(true) })
	for i := uint64(0); i < askers; i++ {
		all.Add(1)
		go func(asker uint64) {
			done := uint64(0)
			for ; !enough.Load(); done++ {
				ask(queue, asker)
			}
			total.Add(done)
			all.Done()
		}(i)
	}
	all.Wait()
	race.stop(total.Load())
	expect("tasks that ran", turns.counted, total.Load())
	race.report()
}

var sides [2]chan task

func hop(side uint64) {
	turns.counted++
	if turns.counted == turns.target {
		gate <- struct{}{}
	} else {
		sides[1-side] <- task{hop, 1 - side}
	}
}

func toAndFro(uint64) {
	sides = [2]chan task{newQueue(1), newQueue(1)}
	passes(10000, func() {
		turns.target += 10000
		sides[0] <- task{hop, 0}
		<-gate
	})
	expect("hops", turns.counted, turns.target)
}

func single(uint64) {
	newReplies(1)
	againAndAgain(func() {
		queue := newQueue(1)
		ask(queue, 0)
		close(queue)
	})
}

func never() { fail("a timer has fired") }

func timers(count uint64) {
	all := make([]*time.Timer, count)
	var once meter
	once.start()
	for i := range all {
		all[i] = time.AfterFunc(time.Hour+time.Duration(uint64(i)*7919%count)*time.Microsecond, never)
	}
	for i := range all {
		if !all[uint64(i)*104729%count].Stop() {
			fail("a timer could not be stopped")
		}
	}
	once.stop(count)
	once.report()
}

func timerBrief(uint64) {
	passes(1000, func() {
		for i := 0; i < 1000; i++ {
			time.AfterFunc(time.Hour, never).Stop()
		}
	})
}

func memoryUnused(uint64) {
	const count = 2000
	all := make([]chan task, count)
	bytes := func() uint64 {
		var stats runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&stats)
		return stats.HeapAlloc + stats.StackInuse
	}
	before := bytes()
	for i := range all {
		all[i] = newQueue(0)
	}
	time.Sleep(100 * time.Millisecond) // each has begun to wait
	metric("heap", float64(bytes()-before)/count)
	runtime.KeepAlive(all)
}

var scenarios = map[string]func(uint64){
	"backlog-cold":   func(producers uint64) { submitting(newQueue(2000000), producers, duration(2000000), false) },
	"backlog":        func(producers uint64) { submitting(newQueue(2000000), producers, duration(2000000), true) },
	"bounded":        func(producers uint64) { submitting(newQueue(1024), producers, 500000, true) },
	"sync-contended": asking,
	"async-wait": func(uint64) {
		queue := newQueue(64)
		newReplies(1)
		againAndAgain(func() { ask(queue, 0) })
	},
	"to-and-fro":        toAndFro,
	"single":            single,
	"single-pooled":     single,
	"timers":            timers,
	"timers-plain":      timers,
	"timer-brief":       timerBrief,
	"timer-brief-plain": timerBrief,
	"memory-unused":     memoryUnused,
}
