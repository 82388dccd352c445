/* SPDX-License-Identifier: GPL-2.0-or-later */
/* format.h - reports of counts, for people and for programs (CNT-05, CNT-08) */
#ifndef OPERF_OCOUNT_FORMAT_H
#define OPERF_OCOUNT_FORMAT_H

#include <stdbool.h>
#include <time.h>
#include "libutil/strbuf.h"
#include "operf/ocount/count.h"

struct count_format {
	enum count_mode mode;
	const char *command;		/* if COUNT_COMMAND */
	bool separate;			/* rows are of threads or CPUs */
	bool brief;
	char *const *names;		/* of events: "NAME[:mask[:kernel:user]]" */
	const struct timespec *at;	/* end of the interval; NULL: a report on the whole run */
};

/* Append the report of @rows, which cover @ns of time. */
void count_format(const struct count_format *f, const struct count_row *rows, size_t nr,
		  uint64_t ns, struct strbuf *out);

#endif
