// SPDX-License-Identifier: GPL-2.0-or-later
/* formats.c - every format there is, and which one a file is in */
#include <string.h>

#include "formats/all_formats.h"

/* By name, which is also the order in which a file's bytes are looked at. */
const struct profile_format *const profile_formats[] = {
	&format_callgrind,
	&format_cpuprofile,
	&format_csv,
	&format_firefox,
	&format_folded,
	&format_perf_script,
	&format_pprof,
	&format_speedscope,
	NULL
};

const struct profile_format *profile_format_find(const char *name)
{
	for (const struct profile_format *const *f = profile_formats; *f; f++)
		if (!strcmp((*f)->name, name))
			return *f;
	return NULL;
}

const struct profile_format *profile_format_detect(const unsigned char *bytes, size_t size)
{
	for (const struct profile_format *const *f = profile_formats; *f; f++)
		if ((*f)->detect && (*f)->detect(bytes, size))
			return *f;
	return NULL;
}
