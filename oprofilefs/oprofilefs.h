/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * oprofilefs.h - the pseudo-filesystem: a table of files (files.c) and their inodes (super.c)
 *
 * Rules: doc/oprofilefs.md [FS-n], whose table is checked against files.c.
 */
#ifndef OPROFILEFS_OPROFILEFS_H
#define OPROFILEFS_OPROFILEFS_H

#include <linux/fs.h>

#define OPFS_TEXT_MAX 2048

enum opfs_kind {
	OPFS_SETTING,		/* number in *setting from min to max; writable only while idle */
	OPFS_VALUE,		/* value(number of the directory, arg); read only */
	OPFS_COUNTER,		/* as a setting, at .field of the directory's struct op_counter */
	OPFS_TEXT,		/* what text() writes, at most OPFS_TEXT_MAX bytes; read only */
	OPFS_CALL,		/* write calls write(number); read, if allowed, returns value() */
	OPFS_POKE,		/* any write calls poke() */
	OPFS_RAW,		/* has its own operations */
};

struct opfs_file {
	const char *name;
	umode_t mode;
	enum opfs_kind kind;
	const char *unit;
	unsigned long *setting;
	size_t field;
	unsigned long min, max;
	unsigned long (*min_fn)(void), (*max_fn)(void);	/* instead of min and max */
	u64 (*value)(unsigned int number, unsigned int arg);
	unsigned int arg;
	void (*text)(char *buf, size_t size);
	int (*write)(u64 number);
	int (*poke)(void);
	const struct file_operations *fops;
	const bool *present;		/* whether it exists; NULL: always */
};

enum opfs_number { OPFS_ONE, OPFS_PER_CPU, OPFS_PER_COUNTER };

struct opfs_dir {
	const char *name;		/* "" for the root; a last N stands for a number */
	const struct opfs_file *files;	/* ends with one without a name */
	enum opfs_number number;	/* one directory, or one per CPU or counter */
	const bool *present;		/* whether it exists; NULL: always */
};

extern const struct opfs_dir opfs_dirs[];	/* parents first; ends with one without files */
const struct file_operations *opfs_operations(const struct opfs_file *f);
extern const struct file_operations opfs_buffer_operations;	/* buffer.c */

int opfs_register(void);		/* 0 or -errno */
void opfs_unregister(void);

#endif
