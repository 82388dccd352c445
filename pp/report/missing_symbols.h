/* SPDX-License-Identifier: GPL-2.0-or-later */
/* missing_symbols.h - notices about images without full symbols */
#ifndef PP_REPORT_MISSING_SYMBOLS_H
#define PP_REPORT_MISSING_SYMBOLS_H

#include "pp/report/populate.h"

/* [SY-16] Of @total samples; notices add up images with fewer in one line. */
bool image_is_worth_a_line(double samples, double total);

/* One for each image that matters, and one with the number of the others [SY-16]. */
void missing_symbols_notices(const struct population *population, struct notices *notices);

#endif
