/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * profile.h - texts of LLVM: profiles, as `llvm-profdata merge --text` writes them, coverage, as
 * `llvm-cov export --format=lcov` does, and sample profiles
 *
 * Rules: doc/xprof.md [XP-50]..[XP-52].
 */
#ifndef FEEDBACK_LLVM_PROFILE_H
#define FEEDBACK_LLVM_PROFILE_H

#include <stddef.h>
#include <stdio.h>
#include "feedback/xprof/xprof.h"

/*
 * Add the functions of @text as the object @path, the last one of @x. -EPROTO: malformed, @e
 * reports "PATH:LINE: ..."; @x may then only be freed. Memory use is in proportion to @size.
 */
int llvm_profile_read(const char *path, const char *text, size_t size, struct xprof *x,
		      struct op_error *e);

/* Is the object @object (index) one that llvm_profile_read() made? */
bool llvm_profile_is_object(const struct xprof *x, uint32_t object);

/*
 * Write all such objects as one text. -EINVAL: there is none. -EPROTO: the values of a procedure do
 * not come from LLVM. The caller checks @out for errors (ferror).
 */
int llvm_profile_write(const struct xprof *x, FILE *out, struct op_error *e);

/*
 * Write all procedures with source lines, gcc's and sampled ones, as the text of a sample profile.
 * *ret_nr_unwritable: those whose names the format cannot hold. -EINVAL: there is none.
 */
int llvm_sample_write(const struct xprof *x, FILE *out, uint32_t *ret_nr_unwritable,
		      struct op_error *e);

/* Does @text begin as coverage in lcov's format? */
bool lcov_detect(const char *text, size_t size);

/*
 * Add the counts of source lines in @text to @x, which is of type tcovsd and empty. -EPROTO:
 * malformed, @e reports "PATH:LINE: ...". Memory use is in proportion to @size.
 */
int lcov_read(const char *path, const char *text, size_t size, struct xprof *x,
	      struct op_error *e);

#endif
