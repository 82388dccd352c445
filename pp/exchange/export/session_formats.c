// SPDX-License-Identifier: GPL-2.0-or-later
/* session_formats.c - the list of formats that need more than a profile */
#include "pp/exchange/autofdo/sample_pgo.h"

const struct session_format *const session_formats[] = {
	&format_gcc_afdo,
	&format_gmon,
	&format_llvm_sample,
	NULL
};
