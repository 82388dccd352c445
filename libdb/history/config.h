/* SPDX-License-Identifier: GPL-2.0-or-later */
/* config.h - how long, in how much room and in which slices a history is kept: --history=, ... */
#ifndef LIBDB_HISTORY_CONFIG_H
#define LIBDB_HISTORY_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "libutil/error.h"

#define HISTORY_AGE	"14d"		/* the defaults */
#define HISTORY_QUOTA	"2G"
#define HISTORY_SLICE	"1m"
#define HISTORY_ROLL_UP	"10m:1d,1h:7d"	/* after a slice and a comma: lengths and ages */

#define HISTORY_ROLL_UPS_MAX	4

struct history_config {
	uint64_t age_s;			/* older slices are dropped */
	bool lines;			/* keep line and unwind tables with the symbols */
	uint64_t quota;			/* bytes */
	int64_t slice_ns;
	struct history_roll_up {	/* slices that are older become so long */
		int64_t slice_ns, older_ns;
	} roll_ups[HISTORY_ROLL_UPS_MAX];	/* by age */
	size_t nr_roll_ups;
};

/* The values of --history, --quota and --slice; NULL or "": the default. -EINVAL with @e. */
int history_config_parse(const char *age, const char *quota, const char *slice,
			 struct history_config *ret, struct op_error *e);

#endif
