/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session.h - a session's samples as profile feedback: doc/xprof.md [XP-39]..[XP-43] */
#ifndef FEEDBACK_SESSION_SESSION_H
#define FEEDBACK_SESSION_SESSION_H

#include "feedback/xprof/xprof.h"
#include "libutil/error.h"
#include "pp/exchange/gmon/options.h"
#include "pp/select/notices.h"

/*
 * All functions with samples of the binaries that @options ask for, of which spec, session_dir,
 * root and image_path count. -ENOENT: no session, no samples, no binary; @e says which. *ret is
 * new.
 */
int xprof_session_make(const struct gprof_options *options, const char *session_dir,
		       struct xprof **ret, struct notices *notices, struct op_error *e);

/* --- between the files that make it --- */

struct binary;
struct code_symbol;
struct disassembler;
struct line_binary;
struct sample_list;
struct xprof_calls;

struct xprof_image {
	const struct binary *binary;
	struct disassembler *disassembler;
	struct line_binary *lines;		/* or NULL */
	const struct sample_list *samples;	/* sorted by place, after key_base */
	const struct xprof_calls *calls;
	const char *path;			/* as sample files name it */
	bool is_arm;
};

#define XPROF_SESSION_VALUES	4	/* of each call site: the most frequent callees [XP-44] */

/*
 * Add @symbol, whose samples are [first, first + nr) of the image's, as the next procedure of the
 * last object of @x. False: it has no code that can be decoded.
 */
bool xprof_session_add_proc(struct xprof *x, const struct xprof_image *image,
			    const struct code_symbol *symbol, size_t first, size_t nr);

#endif
