/* SPDX-License-Identifier: GPL-2.0-or-later */
/* capabilities.h - the capabilities of this thread, as a bit for each */
#ifndef LIBUTIL_SANDBOX_CAPABILITIES_H
#define LIBUTIL_SANDBOX_CAPABILITIES_H

#include <linux/capability.h>
#include <stdint.h>

#ifndef CAP_PERFMON
#define CAP_PERFMON	38
#endif

#define CAPABILITY(number)	(UINT64_C(1) << (number))

/*
 * Keep those of @wanted that are permitted now, for good; executed programs get none. Only of this
 * thread and of those that it starts later. 0 or -errno.
 */
int capabilities_keep(uint64_t wanted);

/* Those that are in effect. */
uint64_t capabilities_now(void);

#endif
