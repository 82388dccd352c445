// SPDX-License-Identifier: GPL-2.0-or-later
/* settings.c - read the settings from the environment */
#include "libsampler/opsample/opsample.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

const char *const opsample_variables[NR_OPSAMPLE_VARIABLES] = {
	[OPSAMPLE_RATE] = "OPSAMPLE_RATE",
	[OPSAMPLE_CLOCK] = "OPSAMPLE_CLOCK",
	[OPSAMPLE_THREADS] = "OPSAMPLE_THREADS",
	[OPSAMPLE_FORMAT] = "OPSAMPLE_FORMAT",
	[OPSAMPLE_OUTPUT] = "OPSAMPLE_OUTPUT",
	[OPSAMPLE_SECONDS] = "OPSAMPLE_SECONDS",
	[OPSAMPLE_SAVE] = "OPSAMPLE_SAVE",
	[OPSAMPLE_SLEEPERS] = "OPSAMPLE_SLEEPERS",
	[OPSAMPLE_CHILDREN] = "OPSAMPLE_CHILDREN",
	[OPSAMPLE_PID] = "OPSAMPLE_PID",
};

/* A number or one of these words, the first of which is the default. */
static const struct range {
	const char *words[4];
	unsigned long value, least, most;	/* the default, and the range */
	const char *text;
} ranges[NR_OPSAMPLE_VARIABLES] = {
	[OPSAMPLE_RATE] = { { NULL }, 100, 1, 10000, "a number from 1 to 10000" },
	[OPSAMPLE_CLOCK] = { { "cpu", "wall" }, 0, 0, 0, "'cpu' or 'wall'" },
	[OPSAMPLE_THREADS] = { { "all", "main" }, 0, 0, 0, "'all' or 'main'" },
	[OPSAMPLE_FORMAT] = { { "session", "cpuprofile", "pprof", "folded" }, 0, 0, 0,
			      "'session', 'cpuprofile', 'pprof' or 'folded'" },
	[OPSAMPLE_OUTPUT] = { { NULL }, 0, 0, 0, "a path" },
	[OPSAMPLE_SECONDS] = { { NULL }, 0, 0, 1000000, "a number of seconds up to 1000000" },
	[OPSAMPLE_SAVE] = { { NULL }, 5, 0, 1000000, "a number of seconds up to 1000000" },
	[OPSAMPLE_SLEEPERS] = { { "spare", "interrupt" }, 0, 0, 0, "'spare' or 'interrupt'" },
	[OPSAMPLE_CHILDREN] = { { "all", "none" }, 0, 0, 0, "'all' or 'none'" },
	[OPSAMPLE_PID] = { { NULL }, 0, 0, INT_MAX, "a process ID" },
};

const char *opsample_variable_range(enum opsample_variable variable)
{
	return ranges[variable].text;
}

static bool read_word(const struct range *r, const char *text, unsigned long *ret)
{
	for (unsigned long i = 0; i < 4 && r->words[i]; i++)
		if (!strcmp(text, r->words[i])) {
			*ret = i;
			return true;
		}
	return false;
}

static bool read_number(const struct range *r, const char *text, unsigned long *ret)
{
	char *end;

	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	*ret = strtoul(text, &end, 10);
	return !*end && !errno && *ret >= r->least && *ret <= r->most;
}

const char *opsample_settings_read(struct opsample_settings *ret)
{
	unsigned long v[NR_OPSAMPLE_VARIABLES];
	const char *output = getenv(opsample_variables[OPSAMPLE_OUTPUT]);

	for (int i = 0; i < NR_OPSAMPLE_VARIABLES; i++) {
		const struct range *r = &ranges[i];
		const char *text = getenv(opsample_variables[i]);

		v[i] = r->value;
		if (i == OPSAMPLE_OUTPUT || !text || !*text)
			continue;
		if (r->words[0] ? !read_word(r, text, &v[i]) : !read_number(r, text, &v[i]))
			return opsample_variables[i];
	}
	*ret = (struct opsample_settings){
		.rate = (unsigned int)v[OPSAMPLE_RATE],
		.seconds = (unsigned int)v[OPSAMPLE_SECONDS],
		.save = (unsigned int)v[OPSAMPLE_SAVE],
		.clock = v[OPSAMPLE_CLOCK] ? SAMPLER_WALL : SAMPLER_CPU,
		.all_threads = !v[OPSAMPLE_THREADS],
		.spare_sleepers = !v[OPSAMPLE_SLEEPERS],
		.children = !v[OPSAMPLE_CHILDREN],
		.format = (int)v[OPSAMPLE_FORMAT] - 1,	/* in the order of oprofsampler.h's */
		.output = output ? output : "",
		.pid = (pid_t)v[OPSAMPLE_PID],
	};
	return NULL;
}
