/* SPDX-License-Identifier: GPL-2.0-or-later */
/* profile.h - opimport's work on a profile of another tool: read it, make a session of it */
#ifndef PP_EXCHANGE_IMPORT_PROFILE_H
#define PP_EXCHANGE_IMPORT_PROFILE_H

#include "formats/format.h"
#include "libutil/error.h"
#include "pp/exchange/import/options.h"
#include "pp/exchange/import/session.h"
#include "pp/select/notices.h"

/*
 * Make the session that @o asks for. What readers warn of goes to @warnings, what the session has
 * no room for into @notices. Other than that as import_session().
 */
int import_profile(const struct import_options *o, const struct format_warnings *warnings,
		   struct import_session_sums *ret, struct notices *notices, struct op_error *e);

#endif
