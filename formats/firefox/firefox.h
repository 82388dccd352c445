/* SPDX-License-Identifier: GPL-2.0-or-later */
/* firefox.h - between the halves of the Firefox Profiler's format. Rules: doc/firefox.md */
#ifndef FORMATS_FIREFOX_FIREFOX_H
#define FORMATS_FIREFOX_FIREFOX_H

#include "formats/format.h"

#define FIREFOX_IMPORTED_FROM "oprofile "	/* how what we wrote begins to say who did */

/* Members of ours [FF-7]: of meta, the list of events; of a thread, which of them it has. */
#define FIREFOX_EVENTS	"oprofileEvents"
#define FIREFOX_EVENT	"oprofileEvent"

int firefox_write(const struct profile *p, const struct format_write_options *options, FILE *out,
		  struct op_error *e);

#endif
