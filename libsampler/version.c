// SPDX-License-Identifier: GPL-2.0-or-later
/* version.c - the version of the library that a program is linked with at run time */
#include "libsampler/oprofsampler.h"

const char *sampler_version(void)
{
	return "1.0";
}
