/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session_format.h - formats that also need the session's files and binaries */
#ifndef PP_EXCHANGE_EXPORT_SESSION_FORMAT_H
#define PP_EXCHANGE_EXPORT_SESSION_FORMAT_H

#include "formats/format.h"
#include "pp/select/collect.h"
#include "pp/select/notices.h"

/* In the options of formats with needs_session; the profile's places have no names. */
struct format_session {
	struct collection *collection;
	struct notices *notices;
};

/* All formats that opexport writes; ends with NULL. */
extern const struct profile_format *const export_formats[];

#endif
