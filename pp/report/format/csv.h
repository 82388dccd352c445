/* SPDX-License-Identifier: GPL-2.0-or-later */
/* csv.h - reports as comma separated values (RFC 4180) after a line of titles [CS-1] */
#ifndef PP_REPORT_FORMAT_CSV_H
#define PP_REPORT_FORMAT_CSV_H

#include "pp/report/format/text.h"

void format_csv_summary(const struct summary *summary, const struct arrangement *a,
			const struct text_options *options, FILE *out);
void format_csv_symbols(const struct row_list *rows, const struct arrangement *a,
			const struct text_options *options, FILE *out);

#endif
