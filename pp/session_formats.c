// SPDX-License-Identifier: GPL-2.0-or-later
/* session_formats.c - the list of formats that need more than a profile */
#include "session_format.h"

const struct session_format *const session_formats[] = {
	&format_gmon,
	NULL
};
