// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * super.c - mount oprofilefs: create the inodes of files.c's table
 *
 * All mounts share one instance. Nothing is created or removed later: every entry holds a reference
 * until the last unmount.
 */
#include <linux/cpumask.h>
#include <linux/dcache.h>
#include <linux/fs.h>
#include <linux/fs_context.h>
#include <linux/module.h>
#include <linux/pagemap.h>
#include "module/op_model.h"
#include "oprofilefs/op_abi.h"
#include "oprofilefs/oprofilefs.h"

static struct inode *new_node(struct super_block *sb, umode_t mode)
{
	struct inode *i = new_inode(sb);

	if (!i)
		return NULL;
	i->i_ino = get_next_ino();
	i->i_mode = mode;
	op_inode_set_times(i);
	return i;
}

static struct inode *new_dir(struct super_block *sb)
{
	struct inode *i = new_node(sb, S_IFDIR | 0755);

	if (!i)
		return NULL;
	i->i_op = &simple_dir_inode_operations;
	i->i_fop = &simple_dir_operations;
	inc_nlink(i);
	return i;
}

/* Add @inode as @name. NULL: no memory; also if @inode is NULL. */
static struct dentry *enter(struct dentry *parent, const char *name, struct inode *inode)
{
	struct dentry *d;

	if (!inode)
		return NULL;
	d = d_alloc_name(parent, name);
	if (!d) {
		iput(inode);
		return NULL;
	}
	op_dentry_add(d, inode);
	return d;
}

static int add_files(struct dentry *dir, const struct opfs_file *f)
{
	for (; f->name; f++) {
		struct inode *i;

		if (f->present && !*f->present)
			continue;
		i = new_node(dir->d_sb, S_IFREG | f->mode);
		if (i) {
			i->i_fop = opfs_operations(f);
			i->i_private = (void *)f;
		}
		if (!enter(dir, f->name, i))
			return -ENOMEM;
	}
	return 0;
}

static struct dentry *add_dir(struct dentry *parent, const char *name)
{
	struct dentry *d = enter(parent, name, new_dir(parent->d_sb));

	if (d)
		inc_nlink(d_inode(parent));
	return d;
}

static bool is_present(enum opfs_number number, unsigned int n)
{
	return number == OPFS_PER_CPU ? cpu_possible(n) : n < op_model_nr_virtual();
}

/* Add a directory for each existing number, which replaces the N at the end of @name. */
static int add_numbered(struct dentry *parent, const char *name, const struct opfs_dir *dir)
{
	unsigned int n, end = dir->number == OPFS_PER_CPU ? nr_cpu_ids : OP_MAX_VIRTUAL;

	for (n = 0; n < end; n++) {
		char numbered[16];
		struct dentry *d;
		int err;

		if (!is_present(dir->number, n))
			continue;
		snprintf(numbered, sizeof(numbered), "%.*s%u", (int)strlen(name) - 1, name, n);
		d = add_dir(parent, numbered);
		if (!d)
			return -ENOMEM;
		d_inode(d)->i_private = (void *)(unsigned long)n;
		err = add_files(d, dir->files);
		if (err)
			return err;
	}
	return 0;
}

static int add_tree(struct dentry *root)
{
	struct dentry *last = root;
	const struct opfs_dir *dir;
	int err;

	for (dir = opfs_dirs; dir->files; dir++) {
		const char *slash = strchr(dir->name, '/');
		struct dentry *parent = slash ? last : root;	/* of the directory before */
		const char *name = slash ? slash + 1 : dir->name;

		if (dir->present && !*dir->present)
			continue;
		if (dir->number != OPFS_ONE) {
			err = add_numbered(parent, name, dir);
		} else {
			last = *name ? add_dir(parent, name) : root;
			err = last ? add_files(last, dir->files) : -ENOMEM;
		}
		if (err)
			return err;
	}
	return 0;
}

static const struct super_operations super_ops = { .statfs = simple_statfs };

static int fill_super(struct super_block *sb, struct fs_context *fc)
{
	sb->s_blocksize = PAGE_SIZE;
	sb->s_blocksize_bits = PAGE_SHIFT;
	sb->s_magic = OPROFILEFS_MAGIC;
	sb->s_op = &super_ops;
	sb->s_time_gran = 1;
	sb->s_root = d_make_root(new_dir(sb));
	return sb->s_root ? add_tree(sb->s_root) : -ENOMEM;
}

static int get_tree(struct fs_context *fc)
{
	return get_tree_single(fc, fill_super);
}

static const struct fs_context_operations context_ops = { .get_tree = get_tree };

static int init_context(struct fs_context *fc)
{
	fc->ops = &context_ops;
	return 0;
}

static struct file_system_type oprofilefs_type = {
	.owner = THIS_MODULE,
	.name = OPROFILEFS_NAME,
	.init_fs_context = init_context,
	.kill_sb = op_kill_super,
};
MODULE_ALIAS_FS(OPROFILEFS_NAME);

int opfs_register(void)
{
	return register_filesystem(&oprofilefs_type);
}

void opfs_unregister(void)
{
	unregister_filesystem(&oprofilefs_type);
}
