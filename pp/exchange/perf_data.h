/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perf_data.h - read perf.data files through perf script */
#ifndef PP_EXCHANGE_PERF_DATA_H
#define PP_EXCHANGE_PERF_DATA_H

#include <stdbool.h>
#include <stddef.h>
#include "formats/format.h"
#include "libutil/error.h"

bool is_perf_data(const unsigned char *bytes, size_t size);

/*
 * The output of perf script for the file @path; the caller's to free. Messages of perf go to
 * @warnings. -ENOENT: perf is not installed; -EIO: it failed. The reason is in @e.
 */
int perf_data_text(const char *path, const struct format_warnings *warnings, unsigned char **ret,
		   size_t *ret_size, struct op_error *e);

#endif
