/* SPDX-License-Identifier: GPL-2.0-or-later */
/* control_requests.h - what can be asked for on the control socket, by whom: doc/control.md */
#ifndef DAEMON_CONTROL_REQUESTS_H
#define DAEMON_CONTROL_REQUESTS_H

#include "daemon/control.h"
#include "libutil/strbuf.h"

enum request_answer {
	ANSWER_NOW,		/* run() gives it */
	ANSWER_RECENT,		/* run() too, but others than the owner may get an earlier one */
	ANSWER_DUMPED,		/* when a dump is done, the same for all who wait */
	ANSWER_ENDED,		/* when the daemon has done everything */
};

struct request {
	const char *word;
	bool anybody;			/* also users other than root and the daemon's own */
	bool argument;
	enum request_answer answer;
	int (*run)(const struct control_config *config, const char *argument, struct strbuf *text,
		   struct op_error *e);
};

/* Makes @line printable. The request it begins with, or NULL; the rest is its argument, or "". */
const struct request *request_find(char *line, const char **ret_argument);

/* Append @text, which may name files of any name, and a newline: one line it stays. */
void answer_add_line(struct strbuf *answer, const char *text);

/* -EINVAL: no such request (@request NULL), or its argument; -EPERM: not for others than @owner. */
int request_check(const struct request *request, const char *line, const char *argument, bool owner,
		  struct op_error *e);

#endif
