// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * unwind_tables.c - receive tables from the daemon, and request more (unwind_tables.h)
 *
 * The daemon builds tables from files that any user may have written. Whatever it pushes is checked
 * as a whole before a walk sees it, and walks trust a table no further than that: a bad table makes
 * stacks wrong and does no other harm.
 */
#include <linux/atomic.h>
#include <linux/bitops.h>
#include <linux/hash.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/pid_namespace.h>
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>
#include "module/buffer_sync.h"
#include "module/dcookie.h"
#include "module/unwind_tables.h"

#define HASH_BITS	14

struct op_shared_table {
	unsigned int users;		/* images */
	size_t len;
	struct op_unwind_table table;	/* @len bytes from here */
};

/* Guards all but used and asking. No user memory is accessed under it. */
static DEFINE_MUTEX(lock);
static struct hlist_head *images;
static unsigned int nr_tables, nr_refused;
static u64 limit;
static atomic64_t used[OP_NR_UNWIND_USES];
static LLIST_HEAD(asking);		/* images missed and not yet reported */

int op_unwind_tables_alloc(u64 new_limit)
{
	nr_tables = nr_refused = 0;
	limit = new_limit;
	if (!limit)
		return 0;
	images = kvcalloc(1 << HASH_BITS, sizeof(*images), GFP_KERNEL | __GFP_NOWARN);
	return images ? 0 : -ENOMEM;
}

bool op_unwind_tables_wanted(void)
{
	return images;
}

bool op_unwind_memory_take(enum op_unwind_use use, size_t bytes)
{
	u64 most = use == OP_UNWIND_FOR_TABLES ? limit : limit / 4;

	if (atomic64_add_return(bytes, &used[use]) <= most)
		return true;
	op_unwind_memory_give(use, bytes);
	return false;
}

void op_unwind_memory_give(enum op_unwind_use use, size_t bytes)
{
	atomic64_sub(bytes, &used[use]);
}

static size_t size_of(u64 len)
{
	return offsetof(struct op_shared_table, table) + len;
}

/* Free @t and its share of the memory limit. */
static void free_table(struct op_shared_table *t)
{
	op_unwind_memory_give(OP_UNWIND_FOR_TABLES, size_of(t->len));
	kvfree(t);
}

static void put_table(struct op_shared_table *t)
{
	if (!t || --t->users)
		return;
	nr_tables--;
	free_table(t);
}

void op_unwind_tables_free(void)
{
	struct hlist_node *next;
	struct op_image *image;
	int i;

	for (i = 0; images && i < 1 << HASH_BITS; i++)
		hlist_for_each_entry_safe(image, next, &images[i], node) {
			put_table(image->shared);
			kfree(image);
		}
	kvfree(images);
	images = NULL;
	init_llist_head(&asking);
}

static struct op_image *find(op_word cookie)
{
	struct op_image *image;

	lockdep_assert_held(&lock);
	hlist_for_each_entry(image, &images[hash_64(cookie, HASH_BITS)], node)
		if (image->cookie == cookie)
			return image;
	return NULL;
}

static struct op_image *find_or_make(op_word cookie)
{
	struct op_image *image = find(cookie);

	if (image)
		return image;
	image = kzalloc(sizeof(*image), GFP_KERNEL | __GFP_NOWARN);
	if (!image)
		return NULL;
	image->cookie = cookie;
	hlist_add_head(&image->node, &images[hash_64(cookie, HASH_BITS)]);
	return image;
}

struct op_image *op_image_get(op_word cookie)
{
	struct op_image *image;

	mutex_lock(&lock);
	image = find_or_make(cookie);
	if (image)
		atomic_inc(&image->users);
	mutex_unlock(&lock);
	return image;
}

struct op_image *op_image_get_made(op_word cookie, const struct mm_struct *mm)
{
	struct op_image *image;

	mutex_lock(&lock);
	image = find(cookie);
	if (image && image->mm == mm)
		atomic_inc(&image->users);
	else
		image = NULL;
	mutex_unlock(&lock);
	return image;
}

void op_image_put(struct op_image *image)
{
	if (image)
		atomic_dec_return(&image->users);	/* not atomic_dec(): a full barrier */
}

/* Walks find images through maps, which are freed after a grace period and are users until then. */
bool op_image_release(op_word cookie)
{
	struct op_image *image;
	bool is_used;

	if (!images)
		return true;
	mutex_lock(&lock);
	image = find(cookie);
	is_used = image && atomic_read_acquire(&image->users);
	if (image && !is_used) {
		hlist_del(&image->node);
		put_table(image->shared);
		kfree(image);
	}
	mutex_unlock(&lock);
	return !is_used;
}

/* ---- requests ---- */

void op_image_missed(struct op_image *image)
{
	if (image->mm)
		return;			/* the daemon finds out by itself */
	if (READ_ONCE(image->asked) || test_and_set_bit(0, &image->asked))
		return;
	atomic_inc(&image->users);
	llist_add(&image->asking, &asking);
	op_sync_kick(OP_SYNC_SOON);
}

unsigned int op_images_report_missed(bool (*report)(op_word cookie))
{
	struct llist_node *all = llist_del_all(&asking);
	struct op_image *image, *next;
	unsigned int reported = 0;

	llist_for_each_entry_safe(image, next, all, asking) {
		if (report(image->cookie)) {
			reported++;
		} else if (atomic_read(&image->users) > 1) {
			llist_add(&image->asking, &asking);
			continue;
		} else {
			clear_bit(0, &image->asked);	/* nothing maps it any more */
		}
		op_image_put(image);
	}
	return reported;
}

/* ---- pushes ---- */

/* Copy and check the table that the daemon pushes, and account for its memory. No users yet. */
static struct op_shared_table *copy_table(const struct op_unwind_push *push)
{
	struct op_shared_table *t;
	int err = 0;

	if (push->len < sizeof(t->table) || push->len > INT_MAX / 2)
		return ERR_PTR(-EINVAL);
	if (!op_unwind_memory_take(OP_UNWIND_FOR_TABLES, size_of(push->len)))
		return ERR_PTR(-ENOSPC);
	t = kvmalloc(size_of(push->len), GFP_KERNEL | __GFP_NOWARN);
	if (!t) {
		op_unwind_memory_give(OP_UNWIND_FOR_TABLES, size_of(push->len));
		return ERR_PTR(-ENOMEM);
	}
	t->users = 0;
	t->len = push->len;
	if (copy_from_user(&t->table, u64_to_user_ptr(push->data), t->len))
		err = -EFAULT;
	else if (!op_unwind_check(&t->table, t->len))
		err = -EINVAL;
	if (!err)
		return t;
	free_table(t);
	return ERR_PTR(err);
}

/*
 * Set the image's table to @t, or to that of another image, or to none. 0, with its previous table,
 * to be put once no walk uses it; -ENOENT or -ENOMEM.
 */
static int set_table(const struct op_unwind_push *push, const struct mm_struct *mm,
		     struct op_shared_table *t, struct op_shared_table **ret_old)
{
	struct op_image *image, *other;

	lockdep_assert_held(&lock);
	if (push->same_as != OP_NO_COOKIE) {
		other = find(push->same_as);
		if (!other || !other->shared)
			return -ENOENT;
		t = other->shared;
	}
	image = find_or_make(push->cookie);
	if (!image)
		return -ENOMEM;
	image->mm = mm;
	if (t && !t->users++)
		nr_tables++;
	*ret_old = image->shared;
	image->shared = t;
	rcu_assign_pointer(image->table, t ? &t->table : NULL);
	return 0;
}

struct push {
	const struct op_unwind_push *push;
	const struct mm_struct *mm;	/* of the process that made the code, or NULL */
	struct op_shared_table *table, *old;
};

/* With the cookie's number held, so that it does not end meanwhile. */
static int set_table_locked(void *context)
{
	struct push *p = context;
	int err;

	mutex_lock(&lock);
	err = set_table(p->push, p->mm, p->table, &p->old);
	mutex_unlock(&lock);
	return err;
}

static const struct mm_struct *mm_of(pid_t tgid)
{
	const struct mm_struct *mm = NULL;
	struct task_struct *task;

	rcu_read_lock();
	task = pid_task(find_pid_ns(tgid, &init_pid_ns), PIDTYPE_PID);
	if (task) {
		task_lock(task);
		mm = task->mm;
		task_unlock(task);
	}
	rcu_read_unlock();
	return mm;
}

/* Remove the table of code that a process made; its process may have ended. */
static int forget_made(op_word cookie)
{
	struct op_shared_table *old = NULL;
	struct op_image *image;

	mutex_lock(&lock);
	image = find(cookie);
	if (image) {
		old = image->shared;
		image->shared = NULL;
		rcu_assign_pointer(image->table, NULL);
	}
	mutex_unlock(&lock);
	if (old) {
		synchronize_rcu();
		mutex_lock(&lock);
		put_table(old);
		mutex_unlock(&lock);
	}
	return op_image_release(cookie) ? 0 : -EBUSY;
}

static int push_table(const struct op_unwind_push *push)
{
	bool is_made = OP_COOKIE_IS_MADE(push->cookie);
	struct push p = { .push = push };
	int err;

	if (push->same_as != OP_NO_COOKIE && (push->len || is_made))
		return -EINVAL;
	if (!images)
		return -ENOSPC;
	if (is_made && !push->len)
		return forget_made(push->cookie);
	if (is_made) {
		p.mm = mm_of(OP_COOKIE_MADE_TGID(push->cookie));
		if (!p.mm)
			return -ENOENT;
	} else if (push->cookie != OP_COOKIE_VDSO && !op_cookie_is_known(push->cookie)) {
		return -ENOENT;
	}
	if (push->len)
		p.table = copy_table(push);
	if (IS_ERR(p.table))
		return PTR_ERR(p.table);
	if (is_made || push->cookie == OP_COOKIE_VDSO)
		err = set_table_locked(&p);
	else
		err = op_cookie_if_known(push->cookie, set_table_locked, &p);
	if (err && p.table)
		free_table(p.table);
	if (!p.old)
		return err;
	synchronize_rcu();
	mutex_lock(&lock);
	put_table(p.old);
	mutex_unlock(&lock);
	return 0;
}

int op_unwind_push(const struct op_unwind_push __user *arg)
{
	struct op_unwind_push push;
	int err;

	if (copy_from_user(&push, arg, sizeof(push)))
		return -EFAULT;
	err = push_table(&push);
	if (err) {
		mutex_lock(&lock);
		nr_refused++;
		mutex_unlock(&lock);
	}
	return err;
}

u64 op_unwind_nr_tables(void)
{
	return READ_ONCE(nr_tables);
}

u64 op_unwind_bytes(void)
{
	return atomic64_read(&used[OP_UNWIND_FOR_TABLES]) +
	       atomic64_read(&used[OP_UNWIND_FOR_MAPS]);
}

u64 op_unwind_nr_refused(void)
{
	return READ_ONCE(nr_refused);
}
