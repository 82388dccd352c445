// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dcookie.c - the table of images behind cookies (dcookie.h)
 *
 * Linux had this in fs/dcookies.c until 5.12. While the buffer is open, entries are only added, so
 * a found one stays valid. The mutex guards the table and the reference to the image. It may be
 * taken under mmap_lock, so user memory must not be accessed while it is held.
 */
#include <linux/cred.h>
#include <linux/dcache.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/hash.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/path.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include "module/dcookie.h"

#define HASH_BITS	10
#define COOKIES_MAX	65536

struct cookie {
	struct hlist_node by_image, by_number;
	op_word number;
	dev_t dev;
	unsigned long ino;
	u32 generation;
	const void *inode;	/* compared only: distinguishes files of btrfs subvolumes */
	struct path image;	/* until the reader has its descriptor; then .dentry is NULL */
	char *path;		/* NULL: unknown to the reader, and without an image */
	size_t len;		/* of path, with its NUL */
};

static DEFINE_MUTEX(lock);
static struct hlist_head *by_image, *by_number;
static unsigned int nr_cookies, nr_numbers;	/* all cookies, those without a path */
static op_word next_number = 1;
static char *path_buf;		/* PATH_MAX bytes */

int op_cookies_alloc(void)
{
	by_image = kvcalloc(1 << HASH_BITS, sizeof(*by_image), GFP_KERNEL);
	by_number = kvcalloc(1 << HASH_BITS, sizeof(*by_number), GFP_KERNEL);
	path_buf = kmalloc(PATH_MAX, GFP_KERNEL);
	nr_cookies = nr_numbers = 0;
	if (by_image && by_number && path_buf)
		return 0;
	op_cookies_free();
	return -ENOMEM;
}

void op_cookies_free(void)
{
	struct hlist_node *next;
	struct cookie *c;
	int i;

	for (i = 0; nr_cookies && i < 1 << HASH_BITS; i++)
		hlist_for_each_entry_safe(c, next, &by_number[i], by_number) {
			if (c->image.dentry)
				path_put(&c->image);
			kfree(c->path);
			kfree(c);
		}
	nr_cookies = 0;
	kvfree(by_image);
	kvfree(by_number);
	kfree(path_buf);
	by_image = by_number = NULL;
	path_buf = NULL;
}

static struct hlist_head *image_bucket(const struct inode *i)
{
	return &by_image[hash_64(i->i_ino ^ ((u64)i->i_sb->s_dev << 32), HASH_BITS)];
}

static struct hlist_head *number_bucket(op_word number)
{
	return &by_number[hash_64(number, HASH_BITS)];
}

static struct cookie *find_image(const struct inode *i)
{
	struct cookie *c;

	lockdep_assert_held(&lock);
	hlist_for_each_entry(c, image_bucket(i), by_image)
		if (c->inode == i && c->ino == i->i_ino && c->dev == i->i_sb->s_dev &&
		    c->generation == i->i_generation)
			return c;
	return NULL;
}

static struct cookie *make(const struct inode *i)
{
	struct cookie *c;

	lockdep_assert_held(&lock);
	if (nr_cookies >= COOKIES_MAX)
		return NULL;
	c = kmalloc(sizeof(*c), GFP_KERNEL | __GFP_NOWARN);
	if (!c)
		return NULL;
	*c = (struct cookie){
		.number = next_number++, .dev = i->i_sb->s_dev, .ino = i->i_ino,
		.generation = i->i_generation, .inode = i,
	};
	hlist_add_head(&c->by_image, image_bucket(i));
	hlist_add_head(&c->by_number, number_bucket(c->number));
	nr_cookies++;
	nr_numbers++;
	return c;
}

/* Make it known to the reader. false: no memory or no path. */
static bool make_known(struct cookie *c, const struct path *image)
{
	const char *path = d_path(image, path_buf, PATH_MAX);

	lockdep_assert_held(&lock);
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
	const struct inode *i = file_inode(file);
	op_word number = OP_INVALID_COOKIE;
	struct cookie *c;

	mutex_lock(&lock);
	c = find_image(i) ?: make(i);
	if (c && (c->path || make_known(c, op_file_user_path(file))))
		number = c->number;
	mutex_unlock(&lock);
	return number;
}

op_word op_cookie_number(struct file *file)
{
	const struct inode *i = file_inode(file);
	struct cookie *c;
	op_word number;

	mutex_lock(&lock);
	c = find_image(i);
	if (!c && nr_numbers < COOKIES_MAX / 2)
		c = make(i);
	number = c ? c->number : OP_INVALID_COOKIE;
	mutex_unlock(&lock);
	return number;
}

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

int op_cookie_path(struct op_cookie_path __user *arg)
{
	struct op_cookie_path a;
	struct cookie *c;
	op_word room;

	if (copy_from_user(&a, arg, sizeof(a)))
		return -EFAULT;
	mutex_lock(&lock);
	c = find_number(a.cookie);
	mutex_unlock(&lock);
	if (!c)
		return -ENOENT;
	room = a.len;
	a.len = c->len;
	if (put_user(a.len, &arg->len))
		return -EFAULT;
	if (room < c->len)
		return -ENAMETOOLONG;
	return copy_to_user(u64_to_user_ptr(a.buf), c->path, c->len) ? -EFAULT : 0;
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
		file = dentry_open(&image, O_RDONLY | O_LARGEFILE, cred);
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
