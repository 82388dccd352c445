// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dcookie.c - the table of images behind cookies (dcookie.h)
 *
 * Linux had this in fs/dcookies.c until 5.12. The mutex guards the table and the reference to the
 * image. It may be taken under mmap_lock, so user memory must not be accessed while it is held.
 *
 * Nothing of a file is held, so its mount and dentry may be freed and their addresses reused. What
 * is found by them is compared with what the cookie was made for, once in a pass.
 *
 * If the table is almost full, the end of a pass recycles what was not used for longest. An entry
 * that the reader knows is hidden first, so that its file gets a new cookie, and its end is written
 * to the event buffer. It is freed when the reader comes back after that, with everything before
 * the end resolved.
 */
#include <linux/cred.h>
#include <linux/dcache.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/hash.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/path.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include "module/dcookie.h"
#include "module/event_buffer.h"

#define HASH_BITS	14
#ifndef COOKIES_MAX		/* tests build a module with fewer */
#define COOKIES_MAX	65536
#endif
#define COOKIES_HIGH	(COOKIES_MAX / 4 * 3)	/* above this some are recycled */
#define COOKIES_FULL	(COOKIES_MAX / 8 * 7)	/* and the reader is woken */
#define RECYCLE_MAX	8192			/* looked at in a pass */

struct cookie {
	struct hlist_node by_file;	/* not in the table: hidden from new samples */
	struct hlist_node by_number;
	struct list_head node;		/* in used or ended */
	op_word number;

	/* the file, and the name it was opened by; pointers are compared, not followed */
	const struct vfsmount *mnt;
	const struct dentry *dentry;
	const struct inode *inode;
	dev_t dev;
	unsigned long ino;
	u32 generation;
	u32 name;		/* hash of the name in its folder */
	bool has_links;		/* the inode had several names */
	bool is_renamed;	/* since; then the path is no longer compared */

	u32 pass;		/* the last one that used it */
	u32 failed;		/* the last one in which it got no path */
	size_t ended_at;	/* where the event buffer has its end */
	struct path image;	/* until the reader has its descriptor; then .dentry is NULL */
	char *path;		/* NULL: unknown to the reader, and without an image */
	size_t len;		/* of path, with its NUL */
};

static DEFINE_MUTEX(lock);
static struct hlist_head *by_file, *by_number;
static LIST_HEAD(used);		/* least recently used first */
static LIST_HEAD(ended);	/* their ends are in the event buffer, in this order */
static unsigned int nr_cookies, nr_numbers;	/* all cookies, those without a path */
static op_word next_number = 1;
static u32 pass = 1;		/* never 0 */
static char *path_buf;		/* PATH_MAX bytes */

int op_cookies_alloc(void)
{
	by_file = kvcalloc(1 << HASH_BITS, sizeof(*by_file), GFP_KERNEL | __GFP_NOWARN);
	by_number = kvcalloc(1 << HASH_BITS, sizeof(*by_number), GFP_KERNEL | __GFP_NOWARN);
	path_buf = kmalloc(PATH_MAX, GFP_KERNEL);
	nr_cookies = nr_numbers = 0;
	if (by_file && by_number && path_buf)
		return 0;
	op_cookies_free();
	return -ENOMEM;
}

/* Remove it from the table; @to is freed without the lock. */
static void unlink_cookie(struct cookie *c, struct list_head *to)
{
	lockdep_assert_held(&lock);
	hlist_del_init(&c->by_file);
	hlist_del(&c->by_number);
	list_move_tail(&c->node, to);
	nr_cookies--;
	nr_numbers -= !c->path;
}

/* The last reference to a file that was deleted may take its file system's locks. */
static void free_cookies(struct list_head *all)
{
	struct cookie *c, *next;

	list_for_each_entry_safe(c, next, all, node) {
		if (c->image.dentry)
			path_put(&c->image);
		kfree(c->path);
		kfree(c);
	}
}

void op_cookies_free(void)
{
	list_splice_init(&ended, &used);
	free_cookies(&used);
	INIT_LIST_HEAD(&used);
	kvfree(by_file);
	kvfree(by_number);
	kfree(path_buf);
	by_file = by_number = NULL;
	path_buf = NULL;
}

static struct hlist_head *file_bucket(const struct path *path, const struct inode *i)
{
	u64 name = (unsigned long)path->dentry ^ ((unsigned long)path->mnt >> 3);

	return &by_file[hash_64(name ^ ((u64)i->i_ino << 32), HASH_BITS)];
}

static struct hlist_head *number_bucket(op_word number)
{
	return &by_number[hash_64(number, HASH_BITS)];
}

/* The length of @path without the mark for files that were unlinked. */
static size_t plain_length(const char *path)
{
	static const char mark[] = " (deleted)";
	size_t len = strlen(path), end = sizeof(mark) - 1;

	return len > end && !strcmp(path + len - end, mark) ? len - end : len;
}

static bool is_same_path(const char *a, const char *b)
{
	size_t len = plain_length(a);

	return len == plain_length(b) && !memcmp(a, b, len);
}

static u32 name_of(const struct path *path)
{
	return READ_ONCE(path->dentry->d_name.hash);
}

/*
 * Whether @c, which was made for a file with these addresses, still stands for it. A file that has
 * always had one name and has another now was renamed: its cookie continues. Otherwise an address
 * may have been reused, for another name of the same inode or another mount of its file system.
 */
static bool is_still(struct cookie *c, const struct path *path, const struct inode *i)
{
	const char *now;

	if (c->pass == pass)
		return true;
	if (c->name != name_of(path)) {
		c->name = name_of(path);
		c->is_renamed = true;
		return !c->has_links && READ_ONCE(i->i_nlink) <= 1;
	}
	if (c->is_renamed || !c->path)
		return true;
	now = d_path(path, path_buf, PATH_MAX);
	return !IS_ERR(now) && is_same_path(now, c->path);
}

static struct cookie *find_file(const struct path *path, const struct inode *i)
{
	struct cookie *c;

	lockdep_assert_held(&lock);
	hlist_for_each_entry(c, file_bucket(path, i), by_file)
		if (c->dentry == path->dentry && c->mnt == path->mnt && c->inode == i &&
		    c->ino == i->i_ino && c->dev == i->i_sb->s_dev &&
		    c->generation == i->i_generation)
			break;
	if (!c)
		return NULL;
	if (!is_still(c, path, i)) {
		hlist_del_init(&c->by_file);
		return NULL;
	}
	c->pass = pass;
	list_move_tail(&c->node, &used);
	return c;
}

static struct cookie *make(const struct path *path, const struct inode *i)
{
	struct cookie *c;

	lockdep_assert_held(&lock);
	if (nr_cookies >= COOKIES_MAX)
		return NULL;
	c = kmalloc(sizeof(*c), GFP_KERNEL | __GFP_NOWARN);
	if (!c)
		return NULL;
	*c = (struct cookie){
		.number = next_number++, .mnt = path->mnt, .dentry = path->dentry, .inode = i,
		.dev = i->i_sb->s_dev, .ino = i->i_ino, .generation = i->i_generation,
		.name = name_of(path), .has_links = READ_ONCE(i->i_nlink) > 1, .pass = pass,
	};
	hlist_add_head(&c->by_file, file_bucket(path, i));
	hlist_add_head(&c->by_number, number_bucket(c->number));
	list_add_tail(&c->node, &used);
	nr_cookies++;
	nr_numbers++;
	return c;
}

/* Make it known to the reader. false: no memory or no path; not tried again in this pass. */
static bool make_known(struct cookie *c, const struct path *image)
{
	const char *path;

	lockdep_assert_held(&lock);
	if (c->failed == pass)
		return false;
	c->failed = pass;
	path = d_path(image, path_buf, PATH_MAX);
	if (IS_ERR(path))
		return false;
	c->path = kstrdup(path, GFP_KERNEL | __GFP_NOWARN);
	if (!c->path)
		return false;
	c->len = strlen(path) + 1;
	c->image = *image;
	path_get(&c->image);
	nr_numbers--;
	return true;
}

op_word op_cookie_get(struct file *file)
{
	const struct path *path = op_file_user_path(file);
	const struct inode *i = file_inode(file);
	op_word number = OP_INVALID_COOKIE;
	struct cookie *c;

	mutex_lock(&lock);
	c = find_file(path, i) ?: make(path, i);
	if (c && (c->path || make_known(c, path)))
		number = c->number;
	mutex_unlock(&lock);
	return number;
}

struct op_image *op_cookie_image(struct file *file, struct op_image *(*get)(op_word number))
{
	const struct path *path = op_file_user_path(file);
	const struct inode *i = file_inode(file);
	struct op_image *image = NULL;
	struct cookie *c;

	mutex_lock(&lock);
	c = find_file(path, i);
	if (!c && nr_numbers < COOKIES_MAX / 2)
		c = make(path, i);
	if (c)
		image = get(c->number);
	mutex_unlock(&lock);
	return image;
}

u32 op_cookies_pass(void)
{
	return pass;
}

/* ---- recycling ---- */

void op_cookies_begin_pass(void)
{
	size_t seen = op_event_seen();
	struct cookie *c, *next;
	LIST_HEAD(freed);

	mutex_lock(&lock);
	pass = pass + 1 ?: 1;
	list_for_each_entry_safe(c, next, &ended, node) {
		if ((ssize_t)(seen - c->ended_at) < 0)
			break;
		unlink_cookie(c, &freed);
	}
	mutex_unlock(&lock);
	free_cookies(&freed);
}

/* false: there is no room in the event buffer for its end. */
static bool recycle(struct cookie *c, struct list_head *to)
{
	lockdep_assert_held(&lock);
	if (!c->path) {
		unlink_cookie(c, to);
		return true;
	}
	if (!op_event_cookie_end(c->number, &c->ended_at))
		return false;
	hlist_del_init(&c->by_file);
	list_move_tail(&c->node, &ended);
	return true;
}

bool op_cookies_end_pass(bool (*release)(op_word number))
{
	unsigned int looks = RECYCLE_MAX;
	LIST_HEAD(freed);
	bool is_full;

	mutex_lock(&lock);
	while (nr_cookies > COOKIES_HIGH && looks-- && !list_empty(&used)) {
		struct cookie *c = list_first_entry(&used, struct cookie, node);

		if (c->pass == pass)
			break;
		if (!release(c->number))
			list_move_tail(&c->node, &used);
		else if (!recycle(c, &freed))
			break;
	}
	is_full = nr_cookies > COOKIES_FULL;
	mutex_unlock(&lock);
	free_cookies(&freed);
	return is_full;
}

/* ---- the reader ---- */

/* A cookie that the reader may know. */
static struct cookie *find_number(op_word number)
{
	struct cookie *c;

	lockdep_assert_held(&lock);
	hlist_for_each_entry(c, number_bucket(number), by_number)
		if (c->number == number && c->path)
			return c;
	return NULL;
}

bool op_cookie_is_known(op_word number)
{
	bool known;

	mutex_lock(&lock);
	known = find_number(number);
	mutex_unlock(&lock);
	return known;
}

int op_cookie_if_known(op_word number, int (*then)(void *context), void *context)
{
	int err;

	mutex_lock(&lock);
	err = find_number(number) ? then(context) : -ENOENT;
	mutex_unlock(&lock);
	return err;
}

/* A copy of its path, to be freed, and the length with the NUL. -ENOENT or -ENOMEM. */
static int copy_path(op_word number, char **ret_path, size_t *ret_len)
{
	struct cookie *c;
	int err = -ENOENT;

	mutex_lock(&lock);
	c = find_number(number);
	if (c) {
		*ret_len = c->len;
		*ret_path = kmemdup(c->path, c->len, GFP_KERNEL);
		err = *ret_path ? 0 : -ENOMEM;
	}
	mutex_unlock(&lock);
	return err;
}

int op_cookie_path(struct op_cookie_path __user *arg)
{
	struct op_cookie_path a;
	char *path;
	size_t len;
	int err;

	if (copy_from_user(&a, arg, sizeof(a)))
		return -EFAULT;
	err = copy_path(a.cookie, &path, &len);
	if (err)
		return err;
	if (put_user((op_word)len, &arg->len))
		err = -EFAULT;
	else if (a.len < len)
		err = -ENAMETOOLONG;
	else if (copy_to_user(u64_to_user_ptr(a.buf), path, len))
		err = -EFAULT;
	kfree(path);
	return err;
}

/* Take over the table's reference to an image. */
static int take_image(op_word number, struct path *ret_image)
{
	struct cookie *c;
	int err = 0;

	mutex_lock(&lock);
	c = find_number(number);
	if (!c) {
		err = -ENOENT;
	} else if (!c->image.dentry) {
		err = -ESTALE;
	} else {
		*ret_image = c->image;
		c->image = (struct path){};
	}
	mutex_unlock(&lock);
	return err;
}

/*
 * Opening a device may have side effects. A FUSE file is opened by a user's process, which may
 * never answer, so that the reader would sleep forever; the same holds for overlays above FUSE.
 * A file on which a user has a lease is not waited for either: -EWOULDBLOCK.
 */
static bool can_open(const struct dentry *dentry)
{
	return d_is_reg(dentry) &&
	       strncmp(d_real_inode(dentry)->i_sb->s_type->name, "fuse", 4);
}

int op_cookie_fd(op_word __user *arg, const struct cred *cred)
{
	struct path image;
	struct file *file;
	op_word number;
	int err, fd;

	if (get_user(number, arg))
		return -EFAULT;
	fd = get_unused_fd_flags(O_CLOEXEC);
	if (fd < 0)
		return fd;
	err = take_image(number, &image);
	if (err)
		goto put_fd;
	if (can_open(image.dentry))
		file = dentry_open(&image, O_RDONLY | O_LARGEFILE | O_NONBLOCK, cred);
	else
		file = ERR_PTR(-ESTALE);
	path_put(&image);
	if (IS_ERR(file)) {
		err = PTR_ERR(file);
		goto put_fd;
	}
	fd_install(fd, file);
	return fd;

put_fd:
	put_unused_fd(fd);
	return err;
}
