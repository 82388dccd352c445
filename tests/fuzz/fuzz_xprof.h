/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fuzz_xprof.h - whether what was read is a sound profile of xprof's */
#ifndef TESTS_FUZZ_FUZZ_XPROF_H
#define TESTS_FUZZ_FUZZ_XPROF_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "feedback/xprof/text.h"

/* False: a name is ambiguous in a profile, which only shows when all are known. */
static inline bool is_sound(const struct xprof *x)
{
	const struct xprof_options options = { 0 };
	struct op_error e = { "" };

	if (!xprof_check(x, NULL, &options, &e))
		return true;
	if (!strstr(e.text, "ambiguous")) {
		fprintf(stderr, "%s\n", e.text);
		abort();
	}
	return false;
}

#endif
