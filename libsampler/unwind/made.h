/* SPDX-License-Identifier: GPL-2.0-or-later */
/* made.h - code made at run time, as by V8 or HotSpot */
#ifndef LIBSAMPLER_UNWIND_MADE_H
#define LIBSAMPLER_UNWIND_MADE_H

#include <stdbool.h>
#include <stdint.h>

/* [sampling thread] Whether @address, which is in no module, is executable. */
bool made_code_at(uintptr_t address);
void made_code_forget(void);		/* free what is known */
void made_code_after_fork(void);	/* [child] */

#endif
