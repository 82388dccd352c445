/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * profile_print.h - a profile as text that equal profiles have in common, and one to try
 *
 *	type NAME/UNIT			a column, as profile.proto has them
 *	mapping START LIMIT OFFSET PATH BUILD-ID
 *	time START DURATION
 *	comment TEXT
 *	sample VALUE... | KEY=TEXT or NUMBER UNIT, ... | ADDRESS@PATH[FUNCTION FILE:LINE, ...] ...
 *
 * tests/oracles/pprof-format prints the same of a file.
 */
#ifndef TESTS_PROFILE_PRINT_H
#define TESTS_PROFILE_PRINT_H

#include <stdio.h>
#include "formats/profile/profile.h"

void profile_print(const struct profile *p, FILE *out);

/* Samples without names, with offsets in files: what perf.data and perf script have in common. */
void profile_print_offsets(const struct profile *p, FILE *out);

/* malloc'd */
char *profile_printed(const struct profile *p);

/* Something of everything that struct profile can hold. */
struct profile *profile_made(void);

#endif
