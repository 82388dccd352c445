/* SPDX-License-Identifier: GPL-2.0-or-later */
/* options.h - ocount's command line */
#ifndef OPERF_OCOUNT_OPTIONS_H
#define OPERF_OCOUNT_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "libutil/error.h"
#include "operf/ocount/count.h"

#define OCOUNT_IDS_MAX	1024

struct ocount_options {
	enum count_mode mode;
	char **command;			/* NULL-terminated; COUNT_COMMAND only */
	unsigned int ids[OCOUNT_IDS_MAX];	/* CPUs, processes or threads, without duplicates */
	unsigned int nr_ids;
	char **specs;			/* events, as typed */
	size_t nr_specs;
	bool separate, brief, verbose;
	uint64_t interval_ms;		/* 0: one report at the end */
	uint64_t nr_intervals;		/* 0: until the end */
	bool interval_rounded;		/* it was not a multiple of 100 ms */
	char *output;			/* NULL: stdout */
};

/* As operf_options_parse() and operf_options_free(). */
int ocount_options_parse(int argc, const char **argv, struct ocount_options *ret,
			 struct op_error *e);
void ocount_options_free(struct ocount_options *o);

#endif
