/* SPDX-License-Identifier: GPL-2.0-or-later */
/* selftest.h - checks of the module's pure parts, in the kernel that runs them */
#ifndef MODULE_SELFTEST_SELFTEST_H
#define MODULE_SELFTEST_SELFTEST_H

/*
 * Run at load if the module parameter "selftest" is set or this is a debug build. 0, or
 * -ENOTRECOVERABLE after logging which check failed: the module is then not loaded.
 */
int op_selftest(void);

#endif
