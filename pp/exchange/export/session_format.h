/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * session_format.h - formats that need more than a profile: the session's binaries
 *
 * They stand beside those of formats/ in opexport's list.
 */
#ifndef PP_EXCHANGE_EXPORT_SESSION_FORMAT_H
#define PP_EXCHANGE_EXPORT_SESSION_FORMAT_H

#include "formats/format.h"
#include "formats/profile/profile.h"
#include "pp/select/collect.h"
#include "pp/select/notices.h"

struct session_format {
	const char *name, *suffix, *text;	/* as of struct profile_format */
	bool one_event;

	/* @p is of @c; its places have addresses only. Errors as of profile_format's write(). */
	int (*write)(struct collection *c, const struct profile *p,
		     const struct format_write_options *options, FILE *out,
		     struct notices *notices, struct op_error *e);
};

extern const struct session_format format_gmon;

extern const struct session_format *const session_formats[];	/* by name; ends with NULL */

#endif
