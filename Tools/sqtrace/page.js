// page.js: does what the user asks for: selects, searches, zooms.
// What the task's start had to wait for: the task before it in its queue, if that ended after the submission; else what submitted it.
function criticalPath(number) {
    const steps = [{ task: number, why: 'selected' }], seen = new Set([number]);
    while (steps.length < 200) {
        const task = D.tasks[steps[steps.length - 1].task], before = D.tasks[task[BEFORE]];
        let next = -1, why = '';
        if (before && task[SUBMITTED] >= 0 && before[START] + before[LENGTH] > task[SUBMITTED]) {
            next = task[BEFORE];
            why = `ran before it: ${time(Math.min(before[START] + before[LENGTH], task[START]) - Math.max(before[START], task[SUBMITTED]))} of its waiting`;
        } else if (task[PARENT] >= 0) {
            next = task[PARENT];
            why = task[SUBMITTED] >= 0 ? 'submitted it' : 'called it';
        }
        if (next < 0 || seen.has(next)) break;
        seen.add(next);
        steps.push({ task: next, why });
    }
    return steps;
}

const bringIntoView = row => { if (row && (row.top - scroll < HEAD || row.top - scroll > canvas.clientHeight - ROW)) scroll = Math.max(0, row.top - canvas.clientHeight / 3); };
function showWait(number) {
    const wait = D.waits[number];
    if (wait[W.START] > from + span || wait[W.START] + wait[W.LENGTH] < from) from = wait[W.START] - span / 3;
    bringIntoView(threadRows[wait[W.THREAD]]);
    redraw();
}
// Its row has a mark at its beginning.
function showQueue(queue) {
    asked.add(queue);
    pointedQueue = queue;
    arrange();
    bringIntoView(queueRows[queue]);
    redraw();
}
function openLabel(label) {
    if (!openLabels.delete(label)) openLabels.add(label);
    arrange();
    redraw();
}
function select(number, move) {
    selected = number;
    path = number >= 0 ? criticalPath(number) : [];
    onPath = new Set(path.map(step => step.task));
    if (move && number >= 0) {
        const task = D.tasks[number];
        if (task[START] > from + span || task[START] + task[LENGTH] < from) from = task[START] - span / 3;
        showQueue(task[QUEUE]);
    }
    showAside();
    redraw();
}

// What the bars of this trace mean.
function showLegend() {
    const bars = rows.flatMap(row => row.bars || []), has = (kind, open) => bars.some(one => one.kind === kind && Boolean(isOpen(one)) === open);
    const entries = [
        ['runs', 'running', has(RUNS, false)], ['runs open', 'still running', has(RUNS, true)],
        ['barrier', 'barrier', bars.some(one => one.kind === RUNS && isKind(one.number, 'barrier'))], ['share', 'apply', has(SHARE, false) || has(SHARE, true)],
        ['waits', 'waits, or suspended', has(WAITS, true) || has(SUSPENDED, true)], ['waited', 'waited, or was suspended', has(WAITS, false) || has(SUSPENDED, false)],
        ['queued', 'queued tasks', has(QUEUED, true)], ['cancelled', 'cancelled', has(CANCELLED, false)],
    ];
    element('legend').innerHTML = entries.filter(([, , is]) => is).map(([name, text]) => `<span><i class="${name}"></i>${text}</span>`).join('');
}

let order = 4, sign = -1;
const escape = text => text.replace(/[&<>"]/g, one => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[one]);
const textOfWarning = () => D.warning && `<p id="warning">${escape(D.warning)}</p>`;
function textOfTree(headline, tree) {
    const lines = tree.map(([depth, text, task, wait]) => `<p style="margin-left:${depth * 14}px"${task >= 0 ? ` data-task="${task}"` : wait >= 0 ? ` data-wait="${wait}"` : ''}>${depth ? '↳ ' : ''}${escape(text).replace(/gdb -p \d+/, '<span style="white-space:nowrap">$&</span>')}</p>`);
    return `<div class="ending"><h2>${escape(headline)}</h2>${lines.join('')}</div>`;
}
const textOfRefused = () => D.refused.length ? textOfTree(D.refusedHeadline, D.refused) : '';
function textOfEnding() {
    if (!D.ending.length) return D.hasEnd ? '' : `<p>This is all that is known ${escape(D.headline)}.</p>`;
    return textOfTree(`Unfinished ${D.headline}`, D.ending);
}
const hasRun = task => task[OPEN] ? `has run ${time(task[LENGTH])} so far` : `ran ${time(task[LENGTH])}`;
function textOfSelection() {
    let text = `<h2>Selected task</h2><div style="white-space:pre-line;overflow-wrap:anywhere">${escape(describe(selected))}</div><h2>Critical path</h2><ol>`;
    for (const step of path) text += `<li data-task="${step.task}">${escape(queueName(D.tasks[step.task][QUEUE]))}: ${escape(nameOf(D.tasks[step.task]) || 'task')}<br><span class="dim">${escape(step.why)}, ${hasRun(D.tasks[step.task])}</span></li>`;
    return text + '</ol>';
}
const MOST_QUEUES = 100, LABEL = 0, TASKS = 1, MAX_WAIT = 4, MAX_RUN = 7, BUSY = 8, FROM = 9, OF = 10, SLOWEST = 11, WORST_WAIT = 10, WORST_RUN = 11, MEMBERS = 12;
const openGroups = new Set(), openQueues = new Set(); // in the table
function cellsOf(row, name, title, worst) {
    const figure = (value, column) => `<td${worst[column] >= 0 ? ` data-queue="${worst[column]}" title="${escape(fullName(worst[column]))}"` : ''}>${row[TASKS] ? time(value) : '–'}</td>`;
    return `<td title="${escape(title + (row[FROM] ? '\nsubmitted at ' + row[FROM] : ''))}">${escape(name)}</td><td>${row[TASKS]}</td>${row.slice(2, 8).map((value, i) => figure(value, i + 2)).join('')}<td>${row[BUSY]} %</td>`;
}
function textOfQueue(row) {
    const name = queueName(row[OF]), text = `<tr data-queue="${row[OF]}">${cellsOf(row, shortLabel(name), fullName(row[OF]), {})}</tr>`;
    if (!openQueues.has(row[OF])) return text;
    return text + row[SLOWEST].map(([name, tasks, longest, task]) => `<tr class="function" data-task="${task}"><td colspan="9">${escape(name)}: ${tasks} ${tasks === 1 ? 'task' : 'tasks'}, the longest ${time(longest)}</td></tr>`).join('');
}
function textOfGroup(group, sort) {
    const label = group[LABEL], isOpen = openGroups.has(label), worst = { [MAX_WAIT]: group[WORST_WAIT], [MAX_RUN]: group[WORST_RUN] };
    const text = `<tr data-group="${escape(label)}">${cellsOf(group, `${isOpen ? '▾' : '▸'} ${shortLabel(label)} × ${group[MEMBERS].toLocaleString('en')}`, label, worst)}</tr>`;
    if (!isOpen) return text;
    const members = sort(D.stats.filter(row => row[LABEL] === label));
    return text + members.slice(0, MOST_QUEUES).map(textOfQueue).join('') + (members.length > MOST_QUEUES ? `<tr><td colspan="9">${(members.length - MOST_QUEUES).toLocaleString('en')} more</td></tr>` : '');
}
// What stands out comes first; of the others, queues of one label are one row.
function textOfTable() {
    const titles = ['queue', 'tasks', 'wait p50', 'p99', 'max', 'run p50', 'p99', 'max', 'busy'];
    const sort = all => [...all].sort((a, b) => sign * (typeof a[order] === 'string' ? a[order].localeCompare(b[order]) : a[order] - b[order]));
    const outliers = new Set(D.outliers), folded = new Set(D.groups.map(group => group[LABEL]));
    const all = sort([...D.groups, ...D.stats.filter(row => !folded.has(row[LABEL]))]);
    const text = sort(D.stats.filter(row => outliers.has(row[OF]))).map(textOfQueue);
    for (const row of all.slice(0, MOST_QUEUES)) text.push(folded.has(row[LABEL]) ? textOfGroup(row, sort) : textOfQueue(row));
    const more = all.length > MOST_QUEUES ? `<p>${(all.length - MOST_QUEUES).toLocaleString('en')} more</p>` : '';
    return '<h2>Queues</h2><div class="table"><table><thead><tr>' + titles.map((name, i) => `<th data-order="${i}">${name}</th>`).join('') + `</tr></thead><tbody>${text.join('')}</tbody></table></div>${more}`;
}
// Of "connection 0x55d0c8a012a0" and "connection × 20,000" the end stays.
function fitNumbered(text, room) {
    const end = text.match(/ (?:0x[\da-f]+(?:\/\d+)?|#\d+|× [\d,]+)$/)?.[0] ?? '';
    return fitName(text.slice(0, text.length - end.length), room - context.measureText(end).width) + end;
}
function showAside() {
    let text = textOfWarning() + textOfRefused() + textOfEnding() + (selected >= 0 ? textOfSelection() : '') + textOfTable();
    for (const remark of D.remarks) text += `<p>${escape(remark)}</p>`;
    element('aside').innerHTML = text;
    context.font = '11px system-ui, sans-serif';
    for (const cell of document.querySelectorAll('tr[data-queue] td:first-child, tr[data-group] td:first-child')) cell.textContent = fitNumbered(cell.textContent, cell.clientWidth - 8);
}
element('aside').addEventListener('click', event => {
    const item = event.target.closest('[data-task],[data-wait],[data-queue],[data-group],[data-order]');
    if (!item) return;
    if (item.dataset.task) select(Number(item.dataset.task), true);
    else if (item.dataset.wait) showWait(Number(item.dataset.wait));
    else if (item.dataset.order) { sign = order === Number(item.dataset.order) ? -sign : -1; order = Number(item.dataset.order); showAside(); }
    else if (item.dataset.group) { if (!openGroups.delete(item.dataset.group)) openGroups.add(item.dataset.group); showAside(); }
    else {
        const queue = Number(item.dataset.queue);
        if (!openQueues.delete(queue)) openQueues.add(queue);
        showQueue(queue);
        showAside();
    }
});

function search() {
    wanted = element('search').value.trim().toLowerCase();
    matches = matchingShares = null;
    element('found').textContent = '';
    if (wanted) {
        const has = of => of.map(text => text.toLowerCase().includes(wanted)), origins = D.origins.map(all => all.some(text => text.toLowerCase().includes(wanted))), queues = has(D.queues.map((_, i) => fullName(i))), threads = has(D.threads);
        matches = new Set();
        D.tasks.forEach((task, i) => { if (queues[task[QUEUE]] || origins[task[ORIGIN]] || threads[task[THREAD]]) matches.add(i); });
        matchingShares = new Set([...D.shares.keys()].filter(i => origins[D.shares[i][S.ORIGIN]] || threads[D.shares[i][S.THREAD]]));
        element('found').textContent = `${matches.size} tasks; Enter: the next one`;
    }
    redraw();
}
element('search').addEventListener('input', search);
element('search').addEventListener('keydown', event => {
    if (event.key !== 'Enter' || !matches || !matches.size) return;
    const list = [...matches], next = list.find(one => one > selected);
    select(next === undefined ? list[0] : next, true);
});

const rowAt = py => rows.find(row => !row.title && py >= row.top - scroll && py < row.top - scroll + row.lanes * ROW);
function barAt(px, py) {
    const row = rowAt(py);
    if (!row) return null;
    const lane = Math.floor((py - row.top + scroll) / ROW), at = from + (px - names) / width() * span, slack = span / width() * 2;
    let best = null;
    for (let i = firstVisible(row); i < row.bars.length && row.bars[i].start <= at + slack; i += 1) {
        const one = row.bars[i];
        if (one.lane === lane && one.end >= at - slack && (best === null || Math.abs(one.start + one.end - 2 * at) < Math.abs(best.start + best.end - 2 * at))) best = one;
    }
    return best;
}
function marksAt(px, py) {
    const row = rowAt(py);
    if (!row || Math.floor((py - row.top + scroll) / ROW) !== row.markLane) return '';
    const near = row.marks.filter(mark => Math.abs(x(mark[0]) - px) < 6);
    return near.slice(0, 12).map(mark => `${D.texts[mark[2]]}, at ${time(mark[0])}`).join('\n') + (near.length > 12 ? `\nand ${near.length - 12} more` : '');
}
function showTip(event) {
    const isIn = event.offsetX > names, one = isIn ? barAt(event.offsetX, event.offsetY) : null, row = rowAt(event.offsetY);
    const text = one ? describeBar(one) : isIn ? marksAt(event.offsetX, event.offsetY) : row ? row.whole ?? row.name : '';
    const at = one?.kind === RUNS ? one.number : -1;
    if (at !== pointed) { pointed = at; redraw(); }
    tip.style.display = text ? 'block' : 'none';
    if (!text) return;
    tip.textContent = text;
    tip.style.left = Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8) + 'px';
    tip.style.top = Math.min(event.clientY + 14, innerHeight - tip.offsetHeight - 8) + 'px';
}
function zoom(factor, at) {
    const next = Math.min(Math.max(span * factor, 100), D.length * 1.2 + 100);
    from = at - (at - from) / span * next;
    span = next;
    redraw();
}
// All of it, with room on the right for what shows which task holds up which.
function fitAll() {
    const length = Math.max(1, D.length), isHeld = D.waits.some(wait => wait[W.OPEN]);
    from = -length * 0.01;
    span = length * (isHeld ? 1.07 : 1.03);
    scroll = 0;
    redraw();
}
let drag = null;
canvas.addEventListener('wheel', event => {
    event.preventDefault();
    if (event.shiftKey) scroll = Math.max(0, Math.min(total, scroll + event.deltaY + event.deltaX));
    else zoom(Math.exp(event.deltaY * 0.0015), from + (event.offsetX - names) / width() * span);
    redraw();
}, { passive: false });
canvas.addEventListener('pointerdown', event => { drag = { x: event.clientX, y: event.clientY, from, scroll, moved: false }; canvas.setPointerCapture(event.pointerId); });
canvas.addEventListener('pointermove', event => {
    if (!drag) { showTip(event); return; }
    if (Math.abs(event.clientX - drag.x) + Math.abs(event.clientY - drag.y) > 3) drag.moved = true;
    from = drag.from - (event.clientX - drag.x) / width() * span;
    scroll = Math.max(0, Math.min(Math.max(0, total - 60), drag.scroll - (event.clientY - drag.y)));
    redraw();
});
canvas.addEventListener('pointerup', event => {
    const fold = drag && !drag.moved ? rowAt(event.offsetY)?.fold : undefined;
    if (fold !== undefined) openLabel(fold);
    else if (drag && !drag.moved) {
        const one = barAt(event.offsetX, event.offsetY), wait = one?.kind === WAITS ? D.waits[one.number] : null;
        select(one?.kind === RUNS ? one.number : wait ? (wait[W.OPEN] ? wait[W.HOLDER] : wait[W.TASK]) : -1);
    }
    drag = null;
});
canvas.addEventListener('pointerleave', () => { tip.style.display = 'none'; pointed = -1; redraw(); });
canvas.addEventListener('dblclick', event => { const one = barAt(event.offsetX, event.offsetY); if (one) { span = Math.max(100, (one.end - one.start) * 1.6); from = one.start - span * 0.2; redraw(); } });
addEventListener('keydown', event => {
    if (event.target.tagName === 'INPUT') return;
    if (event.key === '+' || event.key === 'w') zoom(0.7, from + span / 2);
    else if (event.key === '-' || event.key === 's') zoom(1.4, from + span / 2);
    else if (event.key === 'ArrowLeft' || event.key === 'a') { from -= span / 10; redraw(); }
    else if (event.key === 'ArrowRight' || event.key === 'd') { from += span / 10; redraw(); }
    else if (event.key === '0') fitAll();
    else if (event.key === 'Escape') select(-1);
});
element('all').addEventListener('click', fitAll);
element('in').addEventListener('click', () => zoom(0.7, from + span / 2));
element('out').addEventListener('click', () => zoom(1.4, from + span / 2));
const preferred = matchMedia('(prefers-color-scheme: dark)');
const setDark = dark => { document.documentElement.classList.toggle('dark', dark); redraw(); };
setDark(preferred.matches);
preferred.addEventListener('change', event => setDark(event.matches));
element('theme').addEventListener('click', () => setDark(!document.documentElement.classList.contains('dark')));
addEventListener('resize', () => { showAside(); redraw(); });
element('summary').textContent = `${D.tasks.length} tasks, ${D.stats.length} queues, ${threadRows.filter(hasContent).length} threads, ${time(D.length)}`;
fitAll();
showLegend();
if (location.hash.startsWith('#task=')) select(Number(location.hash.slice(6)), true);
if (location.hash.startsWith('#search=')) { element('search').value = decodeURIComponent(location.hash.slice(8)); search(); }
showAside();
draw(); // at once: on a busy machine the next frame may be long in coming
