/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dcookie.h - map images that samples lie in to numbers, and back
 *
 * A cookie stands for an inode (device, number, generation) by one of its names (mount and dentry),
 * so that each hard link and each mount of a file has its own. It is created at the first sample.
 * Its path is stored as the host sees it; a renamed file keeps it. The image itself is held only
 * until the reader takes its descriptor, so that profiling keeps no file system busy.
 *
 * A cookie lives until the reader closes the buffer, or until the table is almost full and no ring,
 * no maps (maps.h) and no words but the note of its end refer to it. Numbers are never reused while
 * the module is loaded.
 */
#ifndef MODULE_DCOOKIE_H
#define MODULE_DCOOKIE_H

#include "oprofilefs/op_abi.h"

struct cred;
struct file;
struct op_image;

int op_cookies_alloc(void);				/* [task] 0 or -ENOMEM */
void op_cookies_free(void);				/* [task] deletes them all */

/*
 * The cookie of the image that @file has open; OP_INVALID_COOKIE if the table is full or the image
 * has no path. It is valid in this pass. mmap_lock may be held.	[task] the sync
 */
op_word op_cookie_get(struct file *file);

/*
 * What @get returns for the cookie's number; NULL if the table is full. The image is not held, and
 * the reader cannot look the number up until op_cookie_get() was called for the file. At most half
 * of all cookies are such. @get holds the number: op_cookies_end_pass(). mmap_lock may be held.
 *									[task]
 */
struct op_image *op_cookie_image(struct file *file, struct op_image *(*get)(op_word number));

/* A pass of the sync; the number of the current one, never 0.		[task] the sync */
void op_cookies_begin_pass(void);
u32 op_cookies_pass(void);

/*
 * Recycle cookies that no pass used for long, if the table is almost full. @release: release what
 * else is kept under the number; false: it is in use. true: the reader should read soon. [task]
 */
bool op_cookies_end_pass(bool (*release)(op_word number));

bool op_cookie_is_known(op_word cookie);	/* to the reader		[task] */
/* Call @then while the reader knows the cookie. Returns its result; -ENOENT: unknown.	[task] */
int op_cookie_if_known(op_word cookie, int (*then)(void *context), void *context);

/* OP_IOC_COOKIE_PATH and OP_IOC_COOKIE_FD (op_abi.h).			[task] */
int op_cookie_path(struct op_cookie_path __user *arg);
int op_cookie_fd(op_word __user *arg, const struct cred *cred);

#endif
