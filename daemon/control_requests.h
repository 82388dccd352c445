/* SPDX-License-Identifier: GPL-2.0-or-later */
/* control_requests.h - the requests of the control socket, and who may make them: doc/control.md */
#ifndef DAEMON_CONTROL_REQUESTS_H
#define DAEMON_CONTROL_REQUESTS_H

#include "daemon/control.h"
#include "libutil/strbuf.h"

enum request_answer {
	ANSWER_NOW,		/* from run() */
	ANSWER_RECENT,		/* from run(), or a recent one if the peer is not an owner */
	ANSWER_DUMPED,		/* when a dump is complete, the same for all who wait */
	ANSWER_ENDED,		/* when the daemon has finished everything */
};

struct request {
	const char *word;
	bool anybody;			/* not only root and the daemon's own user */
	bool argument;			/* takes one */
	enum request_answer answer;
	bool while_busy;		/* also while the recorder serves another request */
	int (*run)(const struct control_config *config, const char *argument, struct strbuf *text,
		   struct op_error *e);
};

/*
 * Return the request that @line begins with, or NULL; *ret_argument is what follows it, or "".
 * Makes @line printable.
 */
const struct request *request_find(char *line, const char **ret_argument);

/* Append @text as one line: control characters, which file names may contain, become '?'. */
void answer_add_line(struct strbuf *answer, const char *text);

/*
 * -EINVAL: unknown request (@request is NULL), or a missing or unexpected argument;
 * -EPERM: only an owner may make this request.
 */
int request_check(const struct request *request, const char *line, const char *argument, bool owner,
		  struct op_error *e);

#endif
