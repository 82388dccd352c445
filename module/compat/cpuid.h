/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cpuid.h - cpuid() moved to a header of its own after 6.12 */
#ifndef MODULE_COMPAT_CPUID_H
#define MODULE_COMPAT_CPUID_H

#ifdef HAVE_CPUID_API
#include <asm/cpuid/api.h>
#elif defined(CONFIG_X86)
#include <asm/processor.h>
#endif

#endif
