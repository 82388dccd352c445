/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fleet.h - --fleet: reports on samples of a fleet, which opfleet(1) fetches into a session
 *
 * The program that connects parses no binaries, and the one that reports connects to nothing.
 */
#ifndef PP_CLI_FLEET_H
#define PP_CLI_FLEET_H

#include <stddef.h>
#include "libutil/error.h"

/* --fleet=URL, of the tools that have it; NULL: not given. */
extern char *option_fleet;

/* As arguments of "opfleet fetch": --since=... and the like; NULL: not given. */
struct fleet_times {
	const char *since, *until, *last;
};

/*
 * Make a session directory with "opfleet fetch": one session of the arguments @args, or one for
 * each pair of braces. *ret_dir is its path, and *ret_args, the caller's own with strings of @args
 * and of the program, are the arguments that are left for the report. Returns in a child of the
 * process, which ends as the child does, and removes the directory then. -EIO: nothing was fetched,
 * and opfleet printed why.
 */
int fleet_fetch_for_report(const char *const *args, size_t nr, const struct fleet_times *times,
			   char **ret_dir, const char ***ret_args, size_t *ret_nr,
			   struct op_error *e);

#endif
