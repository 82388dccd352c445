/* SPDX-License-Identifier: GPL-2.0-or-later */
/* profile.h - read a profile of another tool and make a session from it */
#ifndef PP_EXCHANGE_IMPORT_PROFILE_H
#define PP_EXCHANGE_IMPORT_PROFILE_H

#include "formats/format.h"
#include "libutil/error.h"
#include "pp/exchange/import/options.h"
#include "pp/exchange/import/session.h"
#include "pp/select/notices.h"

/*
 * Make the session described by @o. Warnings of the reader go to @warnings, omissions in the
 * session to @notices. Errors as import_session().
 */
int import_profile(const struct import_options *o, const struct format_warnings *warnings,
		   struct import_session_sums *ret, struct notices *notices, struct op_error *e);

#endif
