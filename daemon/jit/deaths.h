/* SPDX-License-Identifier: GPL-2.0-or-later */
/* deaths.h - code is dead at the latest when other code overwrites it */
#ifndef DAEMON_JIT_DEATHS_H
#define DAEMON_JIT_DEATHS_H

#include "daemon/jit/code.h"

/* Set each block's death to the birth of the next overlapping one, unless it died earlier. */
void jit_set_deaths(struct jit_code *c);

#endif
