/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gprof.h - the samples of one binary for gprof; doc/pp-spec.md [GP-1]..[GP-7] */
#ifndef PP_EXCHANGE_GMON_GPROF_H
#define PP_EXCHANGE_GMON_GPROF_H

#include "libutil/error.h"
#include "pp/binary/debug_server.h"
#include "pp/exchange/gmon/gmon.h"
#include "pp/exchange/gmon/options.h"
#include "pp/select/collect.h"
#include "pp/select/notices.h"

/*
 * -ENOENT: no session, no samples, no match, no binary. -EINVAL: more than one binary or event.
 * -ENOEXEC: not an object file. The reason is in @e.
 * *ret is the caller's to free.
 */
int gprof_make(const struct gprof_options *options, const char *session_dir,
	       struct gmon *ret, struct notices *notices, struct op_error *e);

/*
 * The same for a collection of files with their arcs, whose arrangement is replaced. Of @options
 * only compat, threshold and print are used. Losses of its sessions are not reported.
 */
int gprof_make_of(struct collection *c, const struct gprof_options *options,
		  struct gmon *ret, struct notices *notices, struct op_error *e);

#endif
