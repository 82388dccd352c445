/* SPDX-License-Identifier: GPL-2.0-or-later */
/* config.h - how long, in how much room and in which slices a history is kept: --history=, ... */
#ifndef LIBDB_HISTORY_CONFIG_H
#define LIBDB_HISTORY_CONFIG_H

#include <stdint.h>
#include "libutil/error.h"

#define HISTORY_AGE	"14d"		/* the defaults */
#define HISTORY_QUOTA	"2G"
#define HISTORY_SLICE	"1m"

struct history_config {
	uint64_t age_s;			/* older slices are dropped */
	uint64_t quota;			/* bytes on the disk */
	int64_t slice_ns;
};

/* The values of --history, --quota and --slice; NULL or "": the default. -EINVAL with @e. */
int history_config_parse(const char *age, const char *quota, const char *slice,
			 struct history_config *ret, struct op_error *e);

#endif
