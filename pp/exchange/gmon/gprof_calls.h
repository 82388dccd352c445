/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gprof_calls.h - the calls within one image, by the places of caller and callee */
#ifndef PP_EXCHANGE_GMON_GPROF_CALLS_H
#define PP_EXCHANGE_GMON_GPROF_CALLS_H

#include <stddef.h>
#include <stdint.h>
#include "pp/select/arrange.h"
#include "pp/select/notices.h"

struct place_call {
	uint64_t from, to;		/* places: the return address; in the callee */
	uint64_t count;
};

struct call_list {
	struct place_call *calls;	/* the caller's to free() */
	size_t nr, room;
};

/*
 * Read the calls from @image to itself, sorted. Equal ones of several files (threads, CPUs,
 * mappings) are added up, as long as the sum fits in 32 bits. @key_base: of the image's binary.
 * @notices names files that cannot be read.
 */
void gprof_calls_read(const struct arrangement *a, const struct report_image *image,
		      uint64_t key_base, struct call_list *ret, struct notices *notices);

#endif
