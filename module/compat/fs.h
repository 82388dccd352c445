/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fs.h - in-memory filesystems, and files of overlays */
#ifndef MODULE_COMPAT_FS_H
#define MODULE_COMPAT_FS_H

#include <linux/dcache.h>
#include <linux/fs.h>

static inline void op_inode_set_times(struct inode *i)
{
#ifdef HAVE_SIMPLE_INODE_INIT_TS
	simple_inode_init_ts(i);
#else
	i->i_atime = i->i_mtime = i->i_ctime = current_time(i);
#endif
}

/*
 * Attach @i to @d, to stay until the superblock is freed. kill_litter_super() used to drop
 * d_alloc_name()'s reference; in the newest kernels a flag holds a reference of its own.
 */
static inline void op_dentry_add(struct dentry *d, struct inode *i)
{
#ifdef HAVE_D_MAKE_PERSISTENT
	d_make_persistent(d, i);
	dput(d);
#else
	d_add(d, i);
#endif
}

static inline void op_kill_super(struct super_block *sb)
{
#ifdef HAVE_KILL_LITTER_SUPER
	kill_litter_super(sb);
#else
	kill_anon_super(sb);
#endif
}

/* The path that users see: on overlayfs a mapping's file is that of a layer. */
static inline const struct path *op_file_user_path(const struct file *f)
{
#ifdef HAVE_FILE_USER_PATH
	return file_user_path((struct file *)f);
#else
	return &f->f_path;
#endif
}

#endif
