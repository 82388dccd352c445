// SPDX-License-Identifier: GPL-2.0-or-later
/* bare_perf.c - for scripts: says why CPUs cannot be sampled here, exit status 1; else silent, 0 */
#include "bare_perf.h"

#include <stdio.h>

int main(void)
{
	const char *why = bare_perf_refused();

	if (why)
		puts(why);
	return why ? 1 : 0;
}
