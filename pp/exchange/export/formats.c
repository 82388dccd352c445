// SPDX-License-Identifier: GPL-2.0-or-later
/* formats.c - the formats to which a session can be exported */
#include "formats/all_formats.h"
#include "pp/exchange/export/session_format.h"

const struct profile_format *const export_formats[] = {
	PROFILE_FORMATS(PROFILE_FORMAT_ENTRY)
	SESSION_FORMATS(PROFILE_FORMAT_ENTRY)
	NULL
};
