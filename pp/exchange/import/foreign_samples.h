/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * foreign_samples.h - sample files of a machine of other word size or byte order
 *
 * Both the layout, an abi file, and the samples come from elsewhere: each number in them is
 * checked against what it is used for. Rules: doc/exchange.md [OI-1]..[OI-4].
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

/* -ENOTSUP: types or fields that have no place in sample files, @e names the line. */
int foreign_abi_check(const struct abi *abi, struct op_error *e);

/*
 * Read @size @bytes, which *ret points into. @abi has been checked. -EPROTO: no sample file of
 * that layout; -ENOTSUP: another version; -ENODATA: it holds nothing yet. @e says why.
 */
int foreign_samples_read(const void *bytes, size_t size, const struct abi *abi,
			 struct foreign_samples *ret, struct op_error *e);

/* Sample @i of nr; a count that does not fit is ODB_COUNT_MAX. */
void foreign_sample(const struct foreign_samples *f, uint32_t i, uint64_t *ret_key,
		    uint32_t *ret_count);

#endif
