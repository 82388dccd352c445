/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * object.h - TGID.jo: an ELF file of JIT code
 *
 * Sections and symbols have the addresses at which the code ran [JT-40] ff. Code whose bytes are
 * unknown takes no room in it.
 */
#ifndef DAEMON_JIT_OBJECT_H
#define DAEMON_JIT_OBJECT_H

#include "daemon/jit/layout.h"

/* Write @layout's symbols to @fd. @machine: EM_*; 0: this machine's. 0 or -errno. */
int jit_object_write(int fd, const struct jit_layout *layout, uint16_t machine);

#endif
