/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dcookie.h - map images that samples lie in to numbers, and back
 *
 * A cookie stands for an inode (device, number, generation). It is created at the first sample and
 * lives until the reader closes the buffer. Its path is stored as the host sees it. The image
 * itself is held only until the reader takes its descriptor, so that profiling keeps no file system
 * busy. Cookies are never reused while the module is loaded.
 */
#ifndef MODULE_DCOOKIE_H
#define MODULE_DCOOKIE_H

#include "oprofilefs/op_abi.h"

struct cred;
struct file;

int op_cookies_alloc(void);				/* [task] 0 or -ENOMEM */
void op_cookies_free(void);				/* [task] deletes them all */

/*
 * The cookie of the image that @file has open; OP_INVALID_COOKIE if the table is full or the image
 * has no path. mmap_lock may be held.					[task] the sync
 */
op_word op_cookie_get(struct file *file);

/*
 * The same, but only the number: nothing is held, and the reader cannot look it up until
 * op_cookie_get() was called for the file. At most half of all cookies are such.	[task]
 */
op_word op_cookie_number(struct file *file);
bool op_cookie_is_known(op_word cookie);	/* to the reader		[task] */

/* OP_IOC_COOKIE_PATH and OP_IOC_COOKIE_FD (op_abi.h).			[task] */
int op_cookie_path(struct op_cookie_path __user *arg);
int op_cookie_fd(op_word __user *arg, const struct cred *cred);

#endif
