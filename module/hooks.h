/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hooks.h - watch mappings and modules, whose changes would misattribute samples
 *
 * Mappings are watched while sampling, by a kprobe on uprobe_munmap(), which the mm code calls for
 * every file mapping it removes (munmap, MAP_FIXED, exec, exit) while its file is still known. If
 * that fails, op_pins_hold_users() and a sync at every exit and exec replace it. Modules are
 * watched while the buffer is open.
 */
#ifndef MODULE_HOOKS_H
#define MODULE_HOOKS_H

/* Report what is loaded, and what changes from now on. 0 or -errno.	[task] */
int op_hooks_watch_modules(void);
void op_hooks_unwatch_modules(void);		/* [task] */

void op_hooks_watch_mappings(void);		/* [task] before sampling starts */
void op_hooks_unwatch_mappings(void);		/* [task] after the last drain */

#endif
