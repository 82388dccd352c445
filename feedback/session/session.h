/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session.h - make profile feedback of a session's samples: doc/xprof.md [XP-39]..[XP-44] */
#ifndef FEEDBACK_SESSION_SESSION_H
#define FEEDBACK_SESSION_SESSION_H

#include "feedback/xprof/xprof.h"
#include "libutil/error.h"
#include "pp/exchange/gmon/options.h"
#include "pp/select/notices.h"

/*
 * Make a profile of all functions with samples in the binaries that @options select; only spec,
 * session_dir, root and image_path are used. -ENOENT: the session, samples or binaries are missing.
 * The caller frees *ret.
 */
int xprof_session_make(const struct gprof_options *options, const char *session_dir,
		       struct xprof **ret, struct notices *notices, struct op_error *e);

/* --- internal: shared by session.c and proc.c --- */

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
	uint32_t *decl_lines;			/* of each symbol's function; 0: unknown */
	const struct sample_list *samples;	/* sorted by offset; key_base is to be added */
	const struct xprof_calls *calls;
	const char *path;			/* as in sample files */
	bool is_arm;
};

#define XPROF_SESSION_VALUES	4	/* callees of each call, the most frequent ones [XP-44] */

/*
 * Add @symbol as the next procedure of the last object of @x. Its samples are [first, first + nr)
 * of the image's. False: it is left out, because its code cannot be decoded, or because it has
 * neither samples nor indirect calls.
 */
bool xprof_session_add_proc(struct xprof *x, const struct xprof_image *image,
			    const struct code_symbol *symbol, size_t first, size_t nr);

#endif
