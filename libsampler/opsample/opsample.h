/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * opsample.h - the settings that opsample passes to its library in the environment
 *
 * The library is loaded into any program, so this needs nothing but libc. Rules: doc/sampler.md,
 * from [SM-70] on.
 */
#ifndef LIBSAMPLER_OPSAMPLE_OPSAMPLE_H
#define LIBSAMPLER_OPSAMPLE_OPSAMPLE_H

#include <stdbool.h>
#include <sys/types.h>
#include "libsampler/oprofsampler.h"

#define OPSAMPLE_LIBRARY	"libopsample.so"

enum opsample_variable {
	OPSAMPLE_RATE,			/* samples a second */
	OPSAMPLE_CLOCK,			/* cpu, wall */
	OPSAMPLE_THREADS,		/* all, main */
	OPSAMPLE_FORMAT,		/* session, cpuprofile, pprof, folded */
	OPSAMPLE_OUTPUT,		/* session directory, or file */
	OPSAMPLE_SECONDS,		/* duration; 0: until the process ends */
	OPSAMPLE_SAVE,			/* seconds between saving samples; 0: only at the end */
	OPSAMPLE_SLEEPERS,		/* spare, interrupt */
	OPSAMPLE_CHILDREN,		/* all, none */
	OPSAMPLE_PID,			/* of the command; other processes are its children */
	NR_OPSAMPLE_VARIABLES
};
extern const char *const opsample_variables[NR_OPSAMPLE_VARIABLES];	/* "OPSAMPLE_RATE" */

#define OPSAMPLE_SESSION	(-1)	/* a format besides those of enum sampler_format */

struct opsample_settings {
	unsigned int rate, seconds, save;
	enum sampler_clock clock;
	bool all_threads, spare_sleepers, children;
	int format;			/* enum sampler_format, or OPSAMPLE_SESSION */
	const char *output;		/* "" for the default */
	pid_t pid;			/* 0: unknown */
};

/* From the environment, with defaults for missing variables. NULL, or the invalid variable. */
const char *opsample_settings_read(struct opsample_settings *ret);
/* Its valid values: "a number from 1 to 10000". */
const char *opsample_variable_range(enum opsample_variable variable);

#endif
