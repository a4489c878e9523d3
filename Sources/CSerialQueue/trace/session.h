/* session.h: a trace from its beginning to its end.
 *
 * DESIGN. A session has a file and a thread of its own, the reader. A stream is read every ten milliseconds. A flight recorder is read when
 * a file is requested (request.h): the reader then writes a whole one, the first with the path that was given, later ones with .1, .2,
 * ... after it. A lock that is used for nothing else makes starting and stopping exclude each other. */
#pragma once

/* Begins a trace if the environment has SQ_TRACE. Called once, when the library is loaded. */
void sq__trace_from_environment(void);

/* Records a mark with this text, and makes a flight recorder write a file, unless it has written many for that. */
void sq__trace_happened(const char *what);
