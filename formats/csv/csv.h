/* SPDX-License-Identifier: GPL-2.0-or-later */
/* csv.h - columns of the table, which reader and writer share. Rules: doc/folded.md [FO-10] ff. */
#ifndef FORMATS_CSV_CSV_H
#define FORMATS_CSV_CSV_H

#include "formats/format.h"

enum csv_column {
	CSV_EVENT, CSV_UNIT, CSV_PERIOD, CSV_IMAGE, CSV_BUILD_ID, CSV_SYMBOL, CSV_INLINED,
	CSV_FILE, CSV_LINE, CSV_ADDRESS, CSV_OFFSET, CSV_PID, CSV_TID, CSV_COMM, CSV_CPU,
	CSV_CGROUP, CSV_SAMPLES, CSV_COLUMNS
};
#define CSV_FIRST_LABEL	CSV_PID
#define CSV_LAST_LABEL	CSV_CGROUP

extern const char *const csv_columns[CSV_COLUMNS];	/* names, in the order written */

int csv_write(const struct profile *p, const struct format_write_options *options, FILE *out,
	      struct op_error *e);

#endif
