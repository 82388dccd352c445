/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perf_data.h - perf's own files, by what perf script, which knows them best, says of them */
#ifndef PP_EXCHANGE_PERF_DATA_H
#define PP_EXCHANGE_PERF_DATA_H

#include <stdbool.h>
#include <stddef.h>
#include "formats/format.h"
#include "libutil/error.h"

bool is_perf_data(const unsigned char *bytes, size_t size);

/*
 * The text that perf script prints of the file @path, to be freed by the caller. What perf
 * complains of is told in @warnings. -ENOENT: there is no perf; -EIO: it refuses; @e says why.
 */
int perf_data_text(const char *path, const struct format_warnings *warnings, unsigned char **ret,
		   size_t *ret_size, struct op_error *e);

#endif
