/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dcookie.h - a number for every image that samples lie in, and the way back
 *
 * A cookie stands for an inode (device, number, generation); it is made at the first sample and
 * lives until the reader closes the buffer. Its path is remembered as the host sees it. The image
 * itself is held only until the reader took its descriptor, so that profiling keeps no file
 * system busy. Cookies are never used twice while the module is loaded.
 */
#ifndef MODULE_DCOOKIE_H
#define MODULE_DCOOKIE_H

#include "oprofilefs/op_abi.h"

struct cred;
struct file;

int op_cookies_alloc(void);				/* [task] 0 or -ENOMEM */
void op_cookies_free(void);				/* [task] forgets them all */

/*
 * The cookie of what @file has open; OP_INVALID_COOKIE when there is no room for another or no
 * path. mmap_lock may be held.						[task] the sync
 */
op_word op_cookie_get(struct file *file);

/*
 * The same, but only the number: nothing is held, and the reader can't ask for it until
 * op_cookie_get() was called for the file, too. At most half of all are such.	[task]
 */
op_word op_cookie_number(struct file *file);
bool op_cookie_is_known(op_word cookie);	/* to the reader		[task] */

/* OP_IOC_COOKIE_PATH and OP_IOC_COOKIE_FD (op_abi.h).			[task] */
int op_cookie_path(struct op_cookie_path __user *arg);
int op_cookie_fd(op_word __user *arg, const struct cred *cred);

#endif
