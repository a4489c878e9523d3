// rows.js: the rows of the page, from its data: one for each queue and thread, with bars in lanes and marks below them.
'use strict';
const D = JSON.parse(document.getElementById('data').textContent);
const [QUEUE, THREAD, START, LENGTH, ORIGIN, KIND, SUBMITTED, SUBMITTER, PARENT, BEFORE, WAIT, OPEN] = [...Array(12).keys()];
const nameOf = task => D.origins[task[ORIGIN]][0], siteOf = task => D.origins[task[ORIGIN]][1], kindOf = task => D.kinds[task[KIND]] ?? 'task';
const W = { THREAD: 0, QUEUE: 1, START: 2, LENGTH: 3, WHAT: 4, TASK: 5, OUTCOME: 6, OPEN: 7, HOLDER: 8, ORIGIN: 9 };
const S = { THREAD: 0, START: 1, LENGTH: 2, ORIGIN: 3, RAN: 4, COUNT: 5, OPEN: 6 };
const ROW = 18, GAP = 6, HEAD = 40;
const RUNS = 0, WAITS = 1, QUEUED = 2, CANCELLED = 3, SUSPENDED = 4, SHARE = 5; // what a bar is; SHARE: one thread's part of an apply
const element = id => document.getElementById(id);
const figure = (value, unit) => (value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2)) + ' ' + unit;
const time = ns => ns >= 1e9 ? figure(ns / 1e9, 's') : ns >= 1e6 ? figure(ns / 1e6, 'ms') : ns >= 1e3 ? figure(ns / 1e3, 'µs') : ns + ' ns';

// What the labels with dots share up to a dot, "com.example.": it tells none from another. '' if without it two labels were the same.
function sharedPrefix(labels) {
    const all = [...new Set(labels)], dotted = all.filter(label => label.includes('.'));
    if (dotted.length < 2) return '';
    let length = dotted[0].lastIndexOf('.') + 1;
    while (length > 0 && !dotted.every(label => label.length > length && label.startsWith(dotted[0].slice(0, length)))) length = dotted[0].lastIndexOf('.', length - 2) + 1;
    const rest = all.map(label => dotted.includes(label) ? label.slice(length) : label);
    return new Set(rest).size === rest.length ? dotted[0].slice(0, length) : '';
}
const prefix = sharedPrefix(D.queues), shortLabel = label => label.startsWith(prefix) ? label.slice(prefix.length) : label;

// A bar: start, end, lane, what it is, and which task, wait, ... it is.
const bar = (start, length, kind, number) => ({ start, end: start + length, lane: 0, kind, number });

// Lanes keep bars apart that overlap. `first`: the lane above them is for others.
function layOut(bars, first) {
    const ends = [];
    bars.sort((a, b) => a.start - b.start || b.end - a.end);
    for (const one of bars) {
        let lane = ends.findIndex(end => end <= one.start);
        if (lane < 0) lane = ends.length;
        ends[lane] = one.end;
        one.lane = first + lane;
    }
    return first + ends.length;
}

// What was cancelled, or refused at once: in the whole picture its mark stands for it, so it has no lane of its own.
const isBrief = one => one.end - one.start < D.length / 300 && (one.kind === CANCELLED || one.kind === WAITS && D.texts[D.waits[one.number][W.OUTCOME]] !== '');

// `beside`: what did not run, below what ran.
function makeRow(name, ran, beside, marks) {
    const hasLane = one => !isBrief(one), tasks = layOut(ran.filter(hasLane), 0), lanes = layOut(beside.filter(hasLane), tasks);
    const bars = [...ran, ...beside].sort((a, b) => a.start - b.start);
    for (const one of bars) if (isBrief(one)) one.lane = lanes;
    marks.sort((a, b) => a[0] - b[0]);
    return { name, bars, marks, lanes: Math.max(1, lanes + (marks.length > 0)), markLane: marks.length ? lanes : -1,
        longest: bars.reduce((most, one) => Math.max(most, one.end - one.start), 0), isOpen: bars.some(isOpen) };
}
const isWork = one => one.kind === RUNS || one.kind === SHARE;
const isOpen = one => one.kind === RUNS ? D.tasks[one.number][OPEN] : one.kind === SHARE ? D.shares[one.number][S.OPEN] : one.kind === WAITS ? D.waits[one.number][W.OPEN] : one.kind === SUSPENDED ? D.suspensions[one.number][3] : one.kind === QUEUED;

const lists = of => of.map(() => []);
const ofQueue = lists(D.queues), besideQueue = lists(D.queues), queueMarks = lists(D.queues), ofThread = lists(D.threads), threadMarks = lists(D.threads);
D.tasks.forEach((task, i) => {
    ofQueue[task[QUEUE]].push(bar(task[START], task[LENGTH], RUNS, i));
    if (task[THREAD] >= 0) ofThread[task[THREAD]].push(bar(task[START], task[LENGTH], RUNS, i));
});
D.waits.forEach((wait, i) => ofThread[wait[W.THREAD]]?.push(bar(wait[W.START], wait[W.LENGTH], WAITS, i)));
D.shares.forEach((share, i) => ofThread[share[S.THREAD]]?.push(bar(share[S.START], share[S.LENGTH], SHARE, i)));
D.waiting.forEach(([queue, since], i) => besideQueue[queue]?.push(bar(since, D.length - since, QUEUED, i)));
const counts = new Map();
for (const label of D.queues) counts.set(label, (counts.get(label) || 0) + 1);
const queueName = i => counts.get(D.queues[i]) > 1 ? `${D.queues[i]} ${D.numbers[i]}` : D.queues[i];
// What a wait waits for.
const targetOf = wait => {
    const text = D.texts[wait[W.WHAT]], queue = wait[W.QUEUE], label = D.queues[queue];
    return label && text.endsWith(label) ? text.slice(0, text.length - label.length) + queueName(queue) : text;
};
// Marks, too: the bars of what was cancelled, or refused at once, may be too short to be seen.
const known = new Map(D.texts.map((text, i) => [text, i]));
const newText = text => known.get(text) ?? (known.set(text, D.texts.push(text) - 1), D.texts.length - 1);
const taskName = number => nameOf(D.tasks[number]) || kindOf(D.tasks[number]);
const isKind = (number, kind) => kindOf(D.tasks[number]) === kind;
const shareName = share => D.origins[share[S.ORIGIN]][2];
D.tasks.forEach((task, i) => { if (isKind(i, 'discard')) queueMarks[task[QUEUE]]?.push([task[START], -1, newText(`${taskName(i)} discarded`), task[QUEUE]]); });
const cancelled = one => `${D.origins[one[3]][0] && D.origins[one[3]][0] + ' '}cancelled`;
D.withdrawn.forEach((one, i) => { const [since, length, queue] = one; besideQueue[queue]?.push(bar(since, length, CANCELLED, i)); queueMarks[queue]?.push([since + length, -1, newText(cancelled(one)), queue]); });
D.waits.forEach(wait => { if (D.texts[wait[W.OUTCOME]]) threadMarks[wait[W.THREAD]]?.push([wait[W.START] + wait[W.LENGTH], wait[W.THREAD], newText(`${targetOf(wait)}: ${D.texts[wait[W.OUTCOME]]}`), -1]); });
D.suspensions.forEach(([queue, since, length], i) => besideQueue[queue]?.push(bar(since, length, SUSPENDED, i)));
for (const mark of D.instants) (mark[3] >= 0 ? queueMarks[mark[3]] : threadMarks[mark[1]])?.push(mark);
// With the number that a dump and a debugger show.
const fullName = i => `${D.queues[i]} ${D.numbers[i]}`;
const queueRows = D.queues.map((label, i) => Object.assign(makeRow(shortLabel(queueName(i)), ofQueue[i], besideQueue[i], queueMarks[i]), { whole: fullName(i), queue: i }));
const threadRows = D.threads.map((name, i) => makeRow(name, ofThread[i], [], threadMarks[i]));

// What is unfinished comes first.
const hasContent = row => row.bars.length > 0 || row.marks.length > 0, shown = of => of.filter(hasContent).sort((a, b) => b.isOpen - a.isOpen);

// Queues of one label, if there are many, are one row, which a click opens; a row of their own have those that stand out, some of those in which
// something is unfinished, and those that the user has asked for.
const MOST_OF_LABEL = 12;
const openLabels = new Set(), asked = new Set(D.outliers);
let rows = [], total = 0;
function visibleQueues() {
    const result = [], folds = new Map();
    for (const row of shown(queueRows)) {
        const label = D.queues[row.queue];
        if (counts.get(label) <= MOST_OF_LABEL) { result.push(row); continue; }
        if (!folds.has(label)) folds.set(label, { fold: label, hidden: [], alone: 0, bars: [], marks: [], lanes: 1, markLane: -1, longest: 0, isOpen: false });
        const fold = folds.get(label), isAlone = asked.has(row.queue) || row.isOpen && fold.alone < MOST_OF_LABEL;
        if (isAlone) fold.alone += 1;
        if (isAlone || openLabels.has(label)) result.push(row); else fold.hidden.push(row);
    }
    for (const fold of folds.values()) fold.name = openLabels.has(fold.fold) ? `▾ ${shortLabel(fold.fold)}` : `▸ ${fold.hidden.length.toLocaleString('en')} more ${shortLabel(fold.fold)}`;
    for (const fold of folds.values()) fold.whole = `${fold.fold}: a click ${openLabels.has(fold.fold) ? 'hides' : 'shows'} its queues`;
    return [...result, ...folds.values()];
}
function arrange() {
    rows = [{ title: prefix ? `Queues (${prefix}*)` : 'Queues' }, ...visibleQueues(), { title: 'Threads' }, ...shown(threadRows)];
    total = HEAD;
    for (const row of rows) {
        row.top = total;
        for (const hidden of row.hidden || []) hidden.top = total; // its arrows end here
        total += (row.title ? ROW : row.lanes * ROW) + GAP;
    }
}
arrange();

const held = wait => wait[W.HOLDER] < 0 ? '' : `, held by ${taskName(wait[W.HOLDER])} on ${D.threads[D.tasks[wait[W.HOLDER]][THREAD]] ?? 'a thread'}`;

// The function's own name: "Shop.deliver(_:)" and "shop::deliver(int)" are "deliver".
function baseOf(name) {
    const end = name.search(/[(<]/), parts = (end < 0 ? name : name.slice(0, end)).split(/\.|::/);
    const isPart = /^(?:init|deinit|getter|setter|read|modify)$/.test(parts[parts.length - 1]); // says nothing alone
    return parts.slice(isPart ? -2 : -1).join('.').trim();
}

// A task's name, "label: function (file:line)", and what is left of it as room gets scarce: what tells it from others stays longest. "closure #3 in
// Shop.save()" is "save() #3", then "save #3", then "save".
function shorterNames(name) {
    const all = [name], add = text => { if (text && text.length < all[all.length - 1].length) all.push(text); };
    add(name.replace(/ \([^()]*:\d+\)$/, ''));
    const label = name.indexOf(': ');
    if (label > 0) { add(name.slice(0, label)); return all; }
    const closure = /^((?:closure(?: #\d+)? in )*)(?:a method given as a closure in )?(.*)$/.exec(all[all.length - 1]), inside = closure[2];
    const numbers = (closure[1].match(/#\d+/g) || []).reverse(), number = numbers.length ? ' ' + numbers.join(' ') : ''; // the outer one first
    if (inside === 'the top level') { add('top level' + number); add(number.trim()); return all; }
    if (/:\d+$|\+0x/.test(inside)) { add(inside.replace(/^closure from /, '').replace(/^.*\//, '')); return all; } // a place
    const base = baseOf(inside);
    add(base + (inside.includes('(') ? inside.slice(inside.indexOf('(')) : '') + number);
    add(base + number);
    add(base);
    return all;
}

// What may stand on a bar of work, the longest first.
function textsOf(one) {
    const text = one.kind === RUNS ? nameOf(D.tasks[one.number]) || shortLabel(D.queues[D.tasks[one.number][QUEUE]]) : shareName(D.shares[one.number]);
    const what = isOpen(one) ? ` · still running, ${time(one.end - one.start)}` : one.kind === SHARE ? ` × ${D.shares[one.number][S.RAN]}` : '', all = shorterNames(text);
    return what ? [...all.map(name => name + what), all[all.length - 1]] : all;
}

// What stands on a bar, if there is room.
function textOf(one) {
    if (isWork(one)) return textsOf(one)[0];
    const length = time(one.end - one.start);
    if (one.kind === QUEUED) return `${D.waiting[one.number][2]} waiting, ${D.waiting[one.number][2] === 1 ? '' : 'the oldest '}${length}`;
    if (one.kind === CANCELLED) return `${cancelled(D.withdrawn[one.number])} after ${length}`;
    if (one.kind === SUSPENDED) return `suspended, ${length}` + (isOpen(one) ? ' so far' : '');
    const wait = D.waits[one.number];
    if (isOpen(one)) return `waits for ${targetOf(wait)}${held(wait)} · ${length}`;
    return D.texts[wait[W.OUTCOME]] ? `${targetOf(wait)}: ${D.texts[wait[W.OUTCOME]]}, ${length}` : `waited for ${targetOf(wait)}, ${length}`;
}

function describe(number) {
    const task = D.tasks[number];
    const lines = [`${queueName(task[QUEUE])}: ${nameOf(task) || 'task'} (${kindOf(task)})`,
        `${task[OPEN] ? 'still running at the end,' : 'ran'} ${time(task[LENGTH])}, from ${time(task[START])}${task[THREAD] >= 0 ? ', on ' + D.threads[task[THREAD]] : ''}`];
    if (task[SUBMITTED] >= 0) lines.push(`waited ${time(Math.max(0, task[START] - task[SUBMITTED]))}, from ${time(task[SUBMITTED])}${task[SUBMITTER] >= 0 ? ', submitted by ' + D.threads[task[SUBMITTER]] : ''}`);
    if (siteOf(task)) lines.push(`submitted at ${siteOf(task)}`);
    return lines.join('\n');
}
function describeShare(share) {
    const ran = share[S.OPEN] ? '' : `${share[S.RAN]} of `, length = `${share[S.OPEN] ? 'still running at the end,' : 'ran'} ${time(share[S.LENGTH])}`;
    return `apply of ${shareName(share)}: ${ran}${share[S.COUNT]} iterations\n${length}, from ${time(share[S.START])}, on ${D.threads[share[S.THREAD]]}`;
}
function describeBar(one) {
    if (one.kind === RUNS) return describe(one.number);
    if (one.kind === SHARE) return describeShare(D.shares[one.number]);
    const site = one.kind === WAITS ? D.origins[D.waits[one.number][W.ORIGIN]][1] : one.kind === CANCELLED ? D.origins[D.withdrawn[one.number][3]][1] : '';
    return `${textOf(one)}\nfrom ${time(one.start)}${site ? (one.kind === WAITS ? ', at ' : ', submitted at ') + site : ''}`;
}
