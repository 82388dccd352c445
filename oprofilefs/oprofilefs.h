/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * oprofilefs.h - the pseudo-filesystem: one table of files (files.c), made into inodes (super.c)
 *
 * Rules: doc/oprofilefs.md [FS-n], whose table is checked against files.c.
 */
#ifndef OPROFILEFS_H
#define OPROFILEFS_H

#include <linux/fs.h>

enum opfs_kind {
	OPFS_SETTING,		/* a number in *setting, between min() or min, and max; not while set up */
	OPFS_VALUE,		/* a number told by value(cpu, arg); read only */
	OPFS_TEXT,		/* text(), without newline; read only */
	OPFS_CALL,		/* write calls write(number); read, if allowed, tells value() */
	OPFS_POKE,		/* any write calls poke() */
	OPFS_RAW,		/* has its own operations */
};

struct opfs_file {
	const char *name;
	umode_t mode;
	enum opfs_kind kind;
	const char *unit;
	unsigned long *setting;
	unsigned long min, max;
	unsigned long (*min_fn)(void), (*max_fn)(void);	/* instead of min and max */
	u64 (*value)(unsigned int cpu, unsigned int arg);
	unsigned int arg;
	const char *(*text)(void);
	int (*write)(u64 number);
	int (*poke)(void);
	const struct file_operations *fops;
};

struct opfs_dir {
	const char *name;		/* "" for the root; "stats/cpuN" stands for one per CPU */
	const struct opfs_file *files;	/* up to one without a name */
};

extern const struct opfs_dir opfs_dirs[];	/* parents first, up to one without files */
const struct file_operations *opfs_operations(const struct opfs_file *f);

int opfs_register(void);		/* 0 or -errno */
void opfs_unregister(void);

#endif
