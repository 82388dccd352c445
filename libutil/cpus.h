/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cpus.h - how many CPUs this machine has */
#ifndef LIBUTIL_CPUS_H
#define LIBUTIL_CPUS_H

#include <unistd.h>

/* CPUs that are online now; 1 if that cannot be read. */
static inline unsigned int nr_cpus_online(void)
{
	long nr = sysconf(_SC_NPROCESSORS_ONLN);

	return nr > 0 ? (unsigned int)nr : 1;
}

#endif
