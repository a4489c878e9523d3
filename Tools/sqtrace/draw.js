// draw.js: draws the rows.
const MOST_ARROWS = 120; // more are a tangle
const canvas = element('canvas'), context = canvas.getContext('2d'), tip = element('tip');
let from = 0, span = 1, scroll = 0, selected = -1, pointed = -1, pointedQueue = -1, path = [], onPath = new Set(), wanted = '', matches = null, matchingShares = null, pending = false;
let wide = 0, high = 0, names = 170; // of the canvas, and of the column of names; asking for them for each bar would be slow
const width = () => Math.max(1, wide - names), x = t => names + (t - from) / span * width();
const color = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const labels = new Map([...new Set(D.queues)].map((label, i) => [label, i])); // queues of the same label have the same color: an exploration makes many
const hue = D.queues.map(label => (labels.get(label) * 137.5 + 205) % 360);
let paint = {};

function hatch(stroke) {
    const tile = document.createElement('canvas');
    tile.width = tile.height = 6;
    const pen = tile.getContext('2d');
    pen.strokeStyle = stroke;
    for (const at of [-6, 0, 6]) { pen.beginPath(); pen.moveTo(at, 6); pen.lineTo(at + 6, 0); pen.stroke(); }
    return context.createPattern(tile, 'repeat');
}

function choosePaint() {
    for (const name of ['text', 'dim', 'back', 'panel', 'line', 'wait', 'path', 'share']) paint[name] = color('--' + name);
    paint.queues = hue.map(one => `hsl(${one} ${color('--chroma')} ${color('--lightness')})`);
    paint.isWaiting = hatch(paint.wait);
    paint.hasWaited = hatch(paint.dim);
}

// The text, cut so that it fits; '' if next to nothing of it would remain.
function fit(text, room) {
    if (context.measureText(text).width <= room) return text;
    let low = 0, high = text.length;
    while (low < high) { const middle = (low + high + 1) >> 1; if (context.measureText(text.slice(0, middle) + '…').width <= room) low = middle; else high = middle - 1; }
    return low >= 3 ? text.slice(0, low) + '…' : '';
}

// A name: its beginning and its end tell it from others, so the middle is cut.
function fitName(text, room) {
    if (context.measureText(text).width <= room) return text;
    for (let cut = 2; cut < text.length - 4; cut += 1) {
        const head = Math.ceil((text.length - cut) / 2), short = text.slice(0, head) + '…' + text.slice(head + cut);
        if (context.measureText(short).width <= room) return short;
    }
    return '';
}

function firstVisible(row) {
    let low = 0, high = row.bars.length;
    while (low < high) { const middle = (low + high) >> 1; if (row.bars[middle].start < from - row.longest) low = middle + 1; else high = middle; }
    return low;
}

// Of a row with one lane: the first bar from this one on that reaches beyond the pixel. Those before it cannot be seen.
function firstBeyond(row, low, pixel) {
    const at = from + (pixel - names) / width() * span;
    let high = row.bars.length;
    while (low < high) { const middle = (low + high) >> 1; if (row.bars[middle].end <= at && row.bars[middle].number !== selected) low = middle + 1; else high = middle; }
    return low;
}

const isTask = (one, number) => one.kind === RUNS && one.number === number;
const isMatch = one => one.kind === RUNS ? matches.has(one.number) : one.kind === SHARE && matchingShares.has(one.number);
const isSelected = one => selected >= 0 && isTask(one, selected);

// What did not end is torn off at its right end.
function tearOff(right, top, bottom) {
    context.fillStyle = paint.back;
    context.beginPath(); context.moveTo(right + 1, top);
    for (let i = 0; i <= 6; i += 1) context.lineTo(right - (i % 2 ? 0 : 4), top + (bottom - top) * i / 6);
    context.lineTo(right + 1, bottom); context.fill();
}

function drawBar(row, one, drawn) {
    const left = Math.max(names, x(one.start)), right = Math.min(wide, x(one.end)), length = Math.max(1, right - left);
    if (right < names || left > wide) return;
    if (right <= drawn[one.lane] && !isSelected(one)) return; // this pixel has one already
    drawn[one.lane] = left + length;
    const top = row.top - scroll + one.lane * ROW, runs = one.kind === RUNS, works = isWork(one), open = isOpen(one), stroke = open && !works ? paint.wait : paint.dim;
    context.globalAlpha = matches && !isMatch(one) ? 0.18 : 1;
    if (runs) context.fillStyle = onPath.has(one.number) ? paint.path : paint.queues[D.tasks[one.number][QUEUE]];
    else if (works) context.fillStyle = paint.share;
    else context.fillStyle = one.kind === CANCELLED || one.kind === QUEUED ? paint.back : open ? paint.isWaiting : paint.hasWaited;
    context.fillRect(left, top + 1, length, ROW - 3);
    if (!works && length > 2) { context.strokeStyle = stroke; context.lineWidth = 1; context.setLineDash(one.kind === CANCELLED ? [3, 3] : []); context.strokeRect(left + .5, top + 1.5, length - 1, ROW - 4); context.setLineDash([]); }
    if (runs && length > 2 && isKind(one.number, 'barrier')) { context.strokeStyle = paint.text; context.lineWidth = 1; context.strokeRect(left + .5, top + 1.5, length - 1, ROW - 4); }
    if (isSelected(one)) { context.strokeStyle = paint.text; context.lineWidth = 2; context.strokeRect(left, top + 1, length, ROW - 3); }
    if (open && length > 12 && x(one.end) <= wide) tearOff(left + length, top, top + ROW - 1);
    if (length > 36) {
        const texts = works ? textsOf(one) : [textOf(one)], full = texts.find(each => context.measureText(each).width <= length - 16) || texts[texts.length - 1];
        const text = works ? fitName(full, length - 16) : fit(full, length - 16);
        if (text && !works) { context.fillStyle = paint.back; context.fillRect(left + 3, top + 3, context.measureText(text).width + 6, ROW - 7); }
        context.fillStyle = !works ? stroke : runs && onPath.has(one.number) ? '#1c1c1b' : paint.text;
        context.fillText(text, left + 5, top + ROW / 2);
    }
    context.globalAlpha = 1;
}

// Marks that would lie on each other have one text together. It stands where there is room, or nowhere; of a wide group at its first mark.
function drawMarks(row) {
    const top = row.top - scroll + row.markLane * ROW, groups = [];
    for (const mark of row.marks) {
        const at = x(mark[0]), last = groups[groups.length - 1];
        if (at < names || at > wide) continue;
        if (!last || at - last.drawn >= 1) { context.fillStyle = paint.text; context.fillRect(at, top + 2, 1.5, ROW - 5); }
        const drawn = !last || at - last.drawn >= 1 ? at : last.drawn;
        if (last && at - last.right < 16) { last.right = at; last.drawn = drawn; last.names.push(mark[2]); } else groups.push({ left: at, right: at, drawn, names: [mark[2]] });
    }
    let free = names;
    context.fillStyle = paint.dim;
    groups.forEach((group, i) => {
        const counts = new Map();
        for (const name of group.names) counts.set(name, (counts.get(name) || 0) + 1);
        const text = [...counts].map(([name, count]) => (count > 1 ? `${count} × ` : '') + D.texts[name]).join(', ');
        const end = i + 1 < groups.length ? groups[i + 1].left : wide, length = context.measureText(text).width;
        const isWide = group.right - group.left > 40 && length + 10 <= group.left - free;
        if (length + 10 <= end - group.right && !isWide) { context.fillText(text, group.right + 5, top + ROW / 2); free = group.right + 5 + length; }
        else if (length + 10 <= group.left - free) { context.fillText(text, group.left - 5 - length, top + ROW / 2); free = group.right; }
        else { const part = fit(text, end - group.right - 10); context.fillText(part, group.right + 5, top + ROW / 2); free = group.right + 5 + context.measureText(part).width; }
    });
}

function drawAxis() {
    context.fillStyle = paint.panel;
    context.fillRect(0, 0, wide, HEAD - 4);
    context.strokeStyle = paint.line;
    context.lineWidth = 1;
    const least = span / width() * 90, power = 10 ** Math.floor(Math.log10(least)), step = power * [1, 2, 5, 10].find(by => by * power >= least);
    const [size, unit] = [[1e9, 's'], [1e6, 'ms'], [1e3, 'µs'], [1, 'ns']].find(([size]) => from + span >= size && step >= size / 1000) || [1, 'ns'];
    const places = Math.max(0, -Math.floor(Math.log10(step / size) + 1e-9)), end = x(D.length);
    const text = D.hasEnd ? 'end of the trace' : 'last known time', room = context.measureText(text).width + 8, shows = end >= names + room && end <= wide + 1; // below the times
    for (let at = Math.max(0, Math.ceil(from / step) * step); at <= from + span; at += step) {
        const label = (at / size).toFixed(places) + ' ' + unit, length = context.measureText(label).width;
        const left = end > x(at) && end < x(at) + 4 + length ? end + 4 : x(at) + 4, right = left + length; // not on the line of the end
        context.beginPath(); context.moveTo(x(at), HEAD - 4); context.lineTo(x(at), high); context.stroke();
        context.fillStyle = paint.dim;
        if (right <= wide - 2) context.fillText(label, left, 11);
    }
    if (end <= wide + 1) { context.strokeStyle = context.fillStyle = paint.text; context.setLineDash([2, 2]); context.beginPath(); context.moveTo(end, 0); context.lineTo(end, high); context.stroke(); context.setLineDash([]); }
    if (shows) context.fillText(text, end - room + 4, 26);
}

const rowOfTask = task => [queueRows[task[QUEUE]], threadRows[task[THREAD]]];
const middle = (row, fits) => row.top - scroll + (row.bars.find(fits)?.lane ?? 0) * ROW + ROW / 2;

function drawHead(at, y, direction) { context.beginPath(); context.moveTo(at, y); context.lineTo(at - 7 * direction, y - 4); context.lineTo(at - 7 * direction, y + 4); context.fill(); }

// From the submission, on its thread, to the start, in the queue. It is under the bars, whose names it would hide; a head shows where it ends only
// for the task that is selected or pointed at.
function drawArrow(number, style) {
    const task = D.tasks[number], source = threadRows[task[SUBMITTER]], target = queueRows[task[QUEUE]];
    if (task[SUBMITTED] < 0 || !source || !target) return;
    const x1 = x(task[SUBMITTED]), y1 = source.top - scroll + ROW / 2, x2 = x(task[START]), y2 = middle(target, one => isTask(one, number));
    if (Math.max(x1, x2) < names || Math.min(x1, x2) > wide) return;
    context.strokeStyle = context.fillStyle = style;
    context.lineWidth = number === selected || number === pointed ? 1.8 : 1;
    context.beginPath(); context.moveTo(x1, y1); context.bezierCurveTo(x1 + 30, y1, x2 - 30, y2, x2, y2); context.stroke();
}

function drawHeadOf(number) {
    const task = D.tasks[number], target = task && task[SUBMITTED] >= 0 && threadRows[task[SUBMITTER]] && queueRows[task[QUEUE]];
    if (!target || x(task[START]) < names || x(task[START]) > wide) return;
    context.fillStyle = onPath.has(number) ? paint.path : paint.text;
    drawHead(x(task[START]), middle(target, one => isTask(one, number)), 1);
}

// The tasks that have a bar in the picture; of many only some.
function visibleTasks() {
    const seen = new Set();
    for (const row of rows) {
        if (row.title || row.top - scroll + row.lanes * ROW < 0 || row.top - scroll > high) continue;
        for (let i = firstVisible(row); i < row.bars.length && row.bars[i].start <= from + span; i += 1) {
            if (row.bars[i].kind === RUNS && row.bars[i].end >= from) seen.add(row.bars[i].number);
            if (seen.size >= MOST_ARROWS) return seen;
        }
    }
    return seen;
}

function drawArrows() {
    const seen = visibleTasks();
    context.save();
    context.beginPath(); context.rect(names, HEAD - 4, wide, high); context.clip();
    if (seen.size < MOST_ARROWS) { context.globalAlpha = 0.45; for (const number of seen) drawArrow(number, paint.dim); context.globalAlpha = 1; }
    if (pointed >= 0) drawArrow(pointed, paint.text);
    for (const step of path) drawArrow(step.task, paint.path);
    context.restore();
}

// At the end: from each wait to the task that it waits for.
function drawHolds() {
    const end = x(D.length), threads = new Set();
    if (end < names || end > wide) return;
    D.waits.forEach((wait, i) => {
        const holder = D.tasks[wait[W.HOLDER]], source = threadRows[wait[W.THREAD]], target = holder && threadRows[holder[THREAD]];
        if (!wait[W.OPEN] || !target || !source || threads.size > 40) return;
        threads.add(i);
        const y1 = middle(source, one => one.kind === WAITS && one.number === i), y2 = middle(target, one => isTask(one, wait[W.HOLDER]));
        const out = end + Math.max(8, Math.min(wide - end - 3, 14 + 3 * threads.size));
        context.strokeStyle = context.fillStyle = paint.wait;
        context.lineWidth = 1.5;
        context.beginPath(); context.moveTo(end, y1); context.bezierCurveTo(out, y1, out, y2, end + 7, y2); context.stroke();
        drawHead(end, y2, -1);
    });
}

function drawRow(row) {
    const top = row.top - scroll, height = row.title ? ROW : row.lanes * ROW;
    if (top + height < 0 || top > high) return;
    if (row.title) { context.fillStyle = paint.dim; context.font = 'bold 11px system-ui, sans-serif'; context.fillText(row.title, 8, top + ROW / 2); context.font = '11px system-ui, sans-serif'; return; }
    const drawn = new Float64Array(row.lanes + 1).fill(-1);
    for (let i = firstVisible(row); i < row.bars.length && row.bars[i].start <= from + span; i += 1) {
        if (row.lanes === 1 && x(row.bars[i].end) <= drawn[0]) i = firstBeyond(row, i, drawn[0]);
        if (i === row.bars.length) break;
        drawBar(row, row.bars[i], drawn);
    }
    if (row.marks.length) drawMarks(row);
    context.fillStyle = paint.back; context.fillRect(0, top - GAP / 2, names - 2, height + GAP);
    if (row.queue === pointedQueue && row.queue !== undefined) { context.fillStyle = paint.path; context.fillRect(0, top, 4, height - 2); }
    context.fillStyle = row.fold || matches && !row.bars.some(isMatch) ? paint.dim : paint.text;
    context.fillText(fitName(row.name, names - 16), 8, top + ROW / 2);
    context.strokeStyle = paint.line; context.lineWidth = 1;
    context.beginPath(); context.moveTo(0, top + height + GAP / 2); context.lineTo(wide, top + height + GAP / 2); context.stroke();
}

function draw() {
    pending = false;
    const scale = window.devicePixelRatio || 1;
    wide = canvas.clientWidth;
    high = canvas.clientHeight;
    names = wide < 700 ? 120 : 170;
    if (canvas.width !== Math.round(wide * scale) || canvas.height !== Math.round(high * scale)) { canvas.width = Math.round(wide * scale); canvas.height = Math.round(high * scale); }
    context.setTransform(scale, 0, 0, scale, 0, 0);
    choosePaint();
    context.fillStyle = paint.back;
    context.fillRect(0, 0, wide, high);
    context.font = '11px system-ui, sans-serif';
    context.textBaseline = 'middle';
    drawAxis();
    context.save();
    context.beginPath(); context.rect(0, HEAD - 4, wide, high); context.clip();
    drawArrows();
    for (const row of rows) drawRow(row);
    context.beginPath(); context.rect(names, HEAD - 4, wide, high); context.clip();
    drawHeadOf(selected);
    drawHeadOf(pointed);
    drawHolds();
    context.restore();
    document.documentElement.dataset.drawn = String(Number(document.documentElement.dataset.drawn || 0) + 1);
}
const redraw = () => { if (!pending) { pending = true; requestAnimationFrame(draw); } };
