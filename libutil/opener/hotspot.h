/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hotspot.h - find the code that a Java virtual machine made, in its memory
 *
 * For the opener, in whose memory nothing of the process is but numbers and names of bounded
 * length; each number is used as an address to be read in the process, or checked. Layouts are
 * those that the tables of the virtual machine give, with the members that JDK 17 has.
 */
#ifndef LIBUTIL_OPENER_HOTSPOT_H
#define LIBUTIL_OPENER_HOTSPOT_H

#include <stdint.h>
#include <sys/uio.h>
#include "libutil/opener/registered.h"

#define HOTSPOT_PARTS		3
#define HOTSPOT_PAGES_MAX	(UINT64_C(4) << 20)

/*
 * Call @add with the parts of each piece of code of the process @pid: its struct registered_blob,
 * the code, the name. A result other than 0 of @add ends it and is returned. *nr_pages counts how
 * often a page is looked at, and may be that of another call. -E2BIG: HOTSPOT_PAGES_MAX times.
 * -EPROTO: the tables lack something. -EFAULT: memory cannot be read. -ENOMEM.
 */
int hotspot_blobs(uint32_t pid, const struct registered_place *place, uint64_t *nr_pages,
		  int (*add)(void *context, const struct iovec *parts, int nr), void *context);

#endif
