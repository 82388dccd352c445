/* SPDX-License-Identifier: GPL-2.0-or-later */
/* import.h - write samples from elsewhere as a sample file of this machine [OI-5], [OI-6] */
#ifndef PP_EXCHANGE_IMPORT_IMPORT_H
#define PP_EXCHANGE_IMPORT_IMPORT_H

#include <stdbool.h>
#include <stdint.h>
#include "libutil/error.h"
#include "pp/exchange/import/foreign_samples.h"

struct import_sums {
	uint64_t samples, places;	/* of the input; @places: keys, each as often as it came */
	bool added;			/* the output was there */
};

/*
 * Make the sample file @output, or add to it. It is whole or as it was: it is written under another
 * name and renamed. -EEXIST: it is of other samples, -EINVAL: no regular file; other
 * -errno: it cannot be read or written. @e says which.
 */
int import_samples(const struct foreign_samples *f, const char *output, struct import_sums *ret,
		   struct op_error *e);

#endif
