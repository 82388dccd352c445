// SPDX-License-Identifier: GPL-2.0-or-later
/* version.c - which interface programs that link with the library at run time have got */
#include "libsampler/sampler.h"

const char *sampler_version(void)
{
	return "1.0";
}
