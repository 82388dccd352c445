/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gprof_calls.h - the calls within one image, by the places of their ends; gprof.c's second half */
#ifndef PP_EXCHANGE_GMON_GPROF_CALLS_H
#define PP_EXCHANGE_GMON_GPROF_CALLS_H

#include <stddef.h>
#include <stdint.h>
#include "pp/select/arrange.h"
#include "pp/select/notices.h"

struct place_call {
	uint64_t from, to;		/* the return address, and where in the callee; places */
	uint64_t count;
};

struct call_list {
	struct place_call *calls;	/* the caller's to free() */
	size_t nr, room;
};

/*
 * Those from @image to itself, sorted, the same ones of several files added up: threads, CPUs,
 * mappings; but no sum is above 32 bits. @key_base: of the image's binary. Files that cannot be
 * read are told in @notices.
 */
void gprof_calls_read(const struct arrangement *a, const struct report_image *image,
		      uint64_t key_base, struct call_list *ret, struct notices *notices);

#endif
