// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * buffer.c - the file "buffer": its opener owns the module, reads samples and pushes tables
 */
#include <linux/capability.h>
#include <linux/module.h>
#include "module/core.h"
#include "module/dcookie.h"
#include "module/event_buffer.h"
#include "module/unwind_tables.h"
#include "oprofilefs/op_abi.h"
#include "oprofilefs/oprofilefs.h"

/* Opening sets everything up; -EBUSY while it is open. [FS-10] */
static int buffer_open(struct inode *inode, struct file *file)
{
	int err;

	if (!perfmon_capable())
		return -EPERM;
	err = op_setup();
	return err ?: nonseekable_open(inode, file);
}

static int buffer_release(struct inode *inode, struct file *file)
{
	op_shutdown();
	return 0;
}

static ssize_t buffer_read(struct file *file, char __user *buf, size_t len, loff_t *pos)
{
	return op_event_read(file, buf, len);
}

static long buffer_ioctl(struct file *file, unsigned int command, unsigned long arg)
{
	switch (command) {
	case OP_IOC_COOKIE_PATH:
		return op_cookie_path((struct op_cookie_path __user *)arg);
	case OP_IOC_COOKIE_FD:
		return op_cookie_fd((op_word __user *)arg, file->f_cred);
	case OP_IOC_UNWIND_TABLE:
		return op_unwind_push((const struct op_unwind_push __user *)arg);
	default:
		return -ENOTTY;
	}
}

const struct file_operations opfs_buffer_operations = {
	.owner = THIS_MODULE,
	.open = buffer_open,
	.release = buffer_release,
	.read = buffer_read,
	.poll = op_event_poll,
	.unlocked_ioctl = buffer_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
};
