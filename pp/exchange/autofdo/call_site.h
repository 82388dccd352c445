/* SPDX-License-Identifier: GPL-2.0-or-later */
/* call_site.h - the kind of call before a return address [SG-6] */
#ifndef PP_EXCHANGE_AUTOFDO_CALL_SITE_H
#define PP_EXCHANGE_AUTOFDO_CALL_SITE_H

#include <stdint.h>
#include "pp/binary/object_file.h"

enum call_kind {
	CALL_SITE_NONE,		/* not a call: a signal arrived, or the stack is wrong */
	CALL_SITE_DIRECT,
	CALL_SITE_INDIRECT,
	CALL_SITE_UNKNOWN,	/* unsupported machine */
};

/* The call before @offset of @f, at @address as linked. *ret_target: callee of a direct call. */
enum call_kind pgo_call_site(const struct object_file *f, uint64_t offset, uint64_t address,
			     uint64_t *ret_target);

#endif
