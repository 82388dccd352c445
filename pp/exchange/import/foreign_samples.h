/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * foreign_samples.h - sample files of a machine with another word size or byte order
 *
 * The layout, an abi file, and the samples come from another machine: each number in them is
 * checked before it is used. Rules: doc/exchange.md [OI-1]..[OI-4].
 */
#ifndef PP_EXCHANGE_IMPORT_FOREIGN_SAMPLES_H
#define PP_EXCHANGE_IMPORT_FOREIGN_SAMPLES_H

#include <stddef.h>
#include <stdint.h>
#include "libdb/session/abi.h"
#include "libdb/session/header.h"
#include "libutil/error.h"

struct foreign_samples {
	struct sample_header header;
	uint32_t nr;
	const unsigned char *nodes;	/* in the bytes given */
	struct abi abi;
};

/* -ENOTSUP: a type or field is not possible in sample files; @e names it. */
int foreign_abi_check(const struct abi *abi, struct op_error *e);

/*
 * Read @size @bytes, which *ret points into. @abi has been checked. -EPROTO: not a sample file of
 * that layout; -ENOTSUP: unsupported version; -ENODATA: no samples yet. The reason is in @e.
 */
int foreign_samples_read(const void *bytes, size_t size, const struct abi *abi,
			 struct foreign_samples *ret, struct op_error *e);

/* Sample @i of nr. */
void foreign_sample(const struct foreign_samples *f, uint32_t i, uint64_t *ret_key,
		    uint64_t *ret_count);

#endif
