/* SPDX-License-Identifier: GPL-2.0-or-later */
/* deaths.h - code is dead, at the latest, when other code is put over it */
#ifndef DAEMON_JIT_DEATHS_H
#define DAEMON_JIT_DEATHS_H

#include "daemon/jit/code.h"

/* Where no earlier death is known: a block's is the birth of the next that overlaps it. */
void jit_set_deaths(struct jit_code *c);

#endif
