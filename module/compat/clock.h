/* SPDX-License-Identifier: GPL-2.0-or-later */
/* clock.h - the nominal clock of the CPUs, if the architecture reports it */
#ifndef MODULE_COMPAT_CLOCK_H
#define MODULE_COMPAT_CLOCK_H

#ifdef CONFIG_X86
#include <asm/tsc.h>
#endif

/* kHz; 0: unknown. */
static inline unsigned int op_arch_clock_khz(void)
{
#ifdef CONFIG_X86
	return tsc_khz;
#else
	return 0;
#endif
}

#endif
