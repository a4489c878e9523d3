/* session.h: a trace from its beginning to its end.
 *
 * DESIGN. A session has a file and a thread of its own, the reader. A stream is read every ten milliseconds. A flight recorder is read when
 * a file is requested (request.h): the reader then writes a whole one, the first with the path that was given, later ones with .1, .2,
 * ... after it. The one lock makes starting and stopping exclude each other. The end of a trace may take as long
 * as a disk or the reader of a pipe, so a fork does not wait for that lock. It takes the other one, under which a trace becomes known and is forgotten. */
#pragma once

/* Begins a trace if the environment has SQ_TRACE. Called once, when the library is loaded. */
void sq__trace_from_environment(void);

/* Records a mark with this text, and makes a flight recorder write a file, unless it has written many for that. */
void sq__trace_happened(const char *what);
