/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sweep.h - remove dumps of processes that have ended
 *
 * Nothing else removes libopagent's dumps after their process has ended [JT-43].
 */
#ifndef DAEMON_JIT_SWEEP_H
#define DAEMON_JIT_SWEEP_H

#include <stddef.h>

/* Remove this user's dumps, or as root everybody's. Returns their number. */
size_t jit_sweep(void);

#endif
