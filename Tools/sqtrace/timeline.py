"""timeline.py: one HTML page of a trace, with everything in it: page.html with the data put in."""
import html
import json
import os

from sqtrace import stats


class Table:
    """Texts by number."""

    def __init__(self):
        self.numbers, self.texts = {}, []

    def number(self, text):
        if text not in self.numbers:
            self.numbers[text] = len(self.texts)
            self.texts.append(text)
        return self.numbers[text]


def data_of(model):
    """What page.html draws. Times are nanoseconds since the beginning; tasks are named by their number; -1: there is none."""
    texts = Table()
    threads = {track: i for i, track in enumerate(sorted(model.trace.threads))}
    queues = {number: i for i, number in enumerate(sorted({task.queue for task in model.tasks} | set(model.trace.queues)))}
    begin = model.begin
    wait_numbers = {id(wait): i for i, wait in enumerate(model.waits)}

    def number_of(task):
        return -1 if task is None else task.number

    tasks = [[queues[task.queue], threads.get(task.thread, -1), task.start - begin, task.end - task.start, texts.number(task.function),
              texts.number(task.site), texts.number(task.kind), -1 if task.submitted is None else task.submitted - begin,
              threads.get(task.submitter, -1), number_of(task.parent), number_of(task.before), wait_numbers.get(id(task.wait), -1)]
             for task in model.tasks]
    waits = [[threads.get(wait.thread, -1), queues.get(wait.queue, -1), wait.start - begin, wait.end - wait.start, texts.number(wait.what),
              number_of(wait.task)] for wait in model.waits]
    instants = [[time - begin, threads.get(track, -1), texts.number(name), queues.get(queue, -1)]
                for time, track, category, name, queue in model.instants if category != 'submit']
    unstarted = [[time - begin, threads.get(track, -1), queues.get(more.get('queue') if isinstance(more, dict) else more.queue, -1)]
                 for time, track, _, more in model.unstarted.values()]
    return {
        'length': model.finish - begin,
        'queues': [model.queue_label(number) for number in sorted(queues)],
        'threads': [f'{name or "thread"} ({number})' for number, name in (model.trace.threads[track] for track in sorted(threads))],
        'texts': texts.texts, 'tasks': tasks, 'waits': waits, 'instants': instants, 'unstarted': unstarted,
        'stats': [[label, count, *waiting, *running, round(100 * busy, 1), site]
                  for label, count, waiting, running, busy, site in stats.rows(model)],
        'remarks': [remark for _, remark in model.remarks],
    }


def write(model, name, path):
    with open(os.path.join(os.path.dirname(__file__), 'page.html'), encoding='utf-8') as file:
        page = file.read()
    # "</" would end the script; "<\/" is the same in JSON.
    data = json.dumps(data_of(model), separators=(',', ':')).replace('</', '<\\/')
    with open(path, 'w', encoding='utf-8') as file:
        file.write(page.replace('@NAME@', html.escape(name)).replace('@DATA@', data))
