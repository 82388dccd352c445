/* SPDX-License-Identifier: GPL-2.0-or-later */
/* missing_symbols.h - which images have no full symbols, and where debug files were looked for */
#ifndef PP_REPORT_MISSING_SYMBOLS_H
#define PP_REPORT_MISSING_SYMBOLS_H

#include "pp/report/populate.h"

/* One notice for each image that matters, and one for the number of the others [SY-16]. */
void missing_symbols_notices(const struct population *population, struct notices *notices);

#endif
