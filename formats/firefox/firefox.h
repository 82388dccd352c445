/* SPDX-License-Identifier: GPL-2.0-or-later */
/* firefox.h - the Firefox Profiler's format: what reader and writer share. Rules: doc/firefox.md */
#ifndef FORMATS_FIREFOX_FIREFOX_H
#define FORMATS_FIREFOX_FIREFOX_H

#include "formats/format.h"

#define FIREFOX_IMPORTED_FROM "oprofile "	/* identifies files that we wrote */

/* Our own members [FF-7]: in meta the list of events, in a thread the number of its event. */
#define FIREFOX_EVENTS	"oprofileEvents"
#define FIREFOX_EVENT	"oprofileEvent"

int firefox_write(const struct profile *p, const struct format_write_options *options, FILE *out,
		  struct op_error *e);

#endif
