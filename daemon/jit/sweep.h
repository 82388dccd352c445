/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sweep.h - dumps of processes that are gone are removed
 *
 * libopagent's dumps stay when their process has ended, and nobody else takes them away [JT-43].
 */
#ifndef DAEMON_JIT_SWEEP_H
#define DAEMON_JIT_SWEEP_H

#include <stddef.h>

/* Remove this user's, as root everybody's. How many those were. */
size_t jit_sweep(void);

#endif
