/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * opsample.h - between opsample and the library it has loaded: how to sample, in the environment
 *
 * The library stands in any program, so this needs nothing but libc. Rules: doc/sampler.md
 * [SM-70]..
 */
#ifndef LIBSAMPLER_OPSAMPLE_OPSAMPLE_H
#define LIBSAMPLER_OPSAMPLE_OPSAMPLE_H

#include <stdbool.h>
#include <sys/types.h>
#include "libsampler/sampler.h"

#define OPSAMPLE_LIBRARY	"libopsample.so"

enum opsample_variable {
	OPSAMPLE_RATE,			/* samples a second */
	OPSAMPLE_CLOCK,			/* cpu, wall */
	OPSAMPLE_THREADS,		/* all, main */
	OPSAMPLE_FORMAT,		/* session, cpuprofile, pprof, folded */
	OPSAMPLE_OUTPUT,		/* session directory, or file */
	OPSAMPLE_SECONDS,		/* until it ends by itself; 0: with the process */
	OPSAMPLE_SAVE,			/* seconds between two savings; 0: at the end only */
	OPSAMPLE_SLEEPERS,		/* spare, interrupt */
	OPSAMPLE_CHILDREN,		/* all, none */
	OPSAMPLE_PID,			/* of the command; other processes are its children */
	NR_OPSAMPLE_VARIABLES
};
extern const char *const opsample_variables[NR_OPSAMPLE_VARIABLES];	/* "OPSAMPLE_RATE" */

#define OPSAMPLE_SESSION	(-1)	/* as a format: none of enum sampler_format */

struct opsample_settings {
	unsigned int rate, seconds, save;
	enum sampler_clock clock;
	bool all_threads, spare_sleepers, children;
	int format;			/* enum sampler_format, or OPSAMPLE_SESSION */
	const char *output;		/* "" the usual */
	pid_t pid;			/* 0: not told */
};

/* From the environment; what is not there is as usual. NULL, or which variable is wrong. */
const char *opsample_settings_read(struct opsample_settings *ret);
/* What it may be: "a number from 1 to 10000". */
const char *opsample_variable_range(enum opsample_variable variable);

#endif
