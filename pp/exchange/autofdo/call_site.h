/* SPDX-License-Identifier: GPL-2.0-or-later */
/* call_site.h - which kind of call a return address comes after [SG-6] */
#ifndef PP_EXCHANGE_AUTOFDO_CALL_SITE_H
#define PP_EXCHANGE_AUTOFDO_CALL_SITE_H

#include <stdint.h>
#include "pp/binary/object_file.h"

enum call_kind {
	CALL_NONE,		/* no call stands there: a signal came, or the stack is wrong */
	CALL_DIRECT,
	CALL_INDIRECT,
	CALL_UNTOLD,		/* code of another machine than those known here */
};

/*
 * The call before @offset of @f, which is at @address as linked. Where it leads to goes to
 * *ret_target if it is direct.
 */
enum call_kind pgo_call_site(const struct object_file *f, uint64_t offset, uint64_t address,
			     uint64_t *ret_target);

#endif
