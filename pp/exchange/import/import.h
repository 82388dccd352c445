/* SPDX-License-Identifier: GPL-2.0-or-later */
/* import.h - write foreign samples to a sample file of this machine [OI-5], [OI-6] */
#ifndef PP_EXCHANGE_IMPORT_IMPORT_H
#define PP_EXCHANGE_IMPORT_IMPORT_H

#include <stdbool.h>
#include <stdint.h>
#include "libutil/error.h"
#include "pp/exchange/import/foreign_samples.h"

struct import_sums {
	uint64_t samples, places;	/* of the input; @places: keys, with repetitions */
	bool added;			/* the output existed before */
};

/*
 * Create the sample file @output, or add to it, atomically: it is written under another name and
 * renamed. -EEXIST: @output has samples of another kind. -EINVAL: not a regular file. Other -errno:
 * a file cannot be read or written. The reason is in @e.
 */
int import_samples(const struct foreign_samples *f, const char *output, struct import_sums *ret,
		   struct op_error *e);

#endif
