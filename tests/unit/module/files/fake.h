/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fake.h - the parts of a kernel that dcookie.c, translate.c and buffer_sync.c use, for tests in
 * user space: files, their names, processes that map them, one CPU and no work but what a test runs
 *
 * A test includes this and the module's file. Each header in linux/ includes this one.
 */
#ifndef TESTS_UNIT_MODULE_FILES_FAKE_H
#define TESTS_UNIT_MODULE_FILES_FAKE_H

#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>
#include "module/portable.h"

#define __user
#define MODULE_COMPAT_COMPAT_H
#define GFP_KERNEL			0
#define __GFP_NOWARN			0
#define O_LARGEFILE			0
#define O_RDONLY			0
#define O_CLOEXEC			0
#define PAGE_SHIFT			12
#define PAGE_SIZE			4096ul
#define smp_rmb()			__atomic_thread_fence(__ATOMIC_ACQUIRE)
#define min(a, b)			((a) < (b) ? (a) : (b))
#define container_of(p, type, member)	((type *)((char *)(p) - offsetof(type, member)))
#define ERR_PTR(err)			((void *)(long)(err))
#define PTR_ERR(p)			((long)(p))
#define IS_ERR(p)			((unsigned long)(p) > -4096ul)

static inline void *fake_alloc(size_t size)
{
	void *p = calloc(1, size);

	if (!p)
		abort();
	return p;
}

#define kmalloc(size, flags)		fake_alloc(size)
#define kvcalloc(nr, size, flags)	fake_alloc((nr) * (size))
#define kstrdup(text, flags)		strdup(text)
#define kmemdup(p, len, flags)		memcpy(fake_alloc(len), p, len)
#define kfree(p)			free((void *)(p))
#define kvfree(p)			free(p)

static inline u64 hash_64(u64 n, unsigned int bits)
{
	return n * 0x61c8864680b583ebull >> (64 - bits);
}

/* ---- lists ---- */

struct list_head {
	struct list_head *next, *prev;
};
#define LIST_HEAD(name)			struct list_head name = { &(name), &(name) }
#define list_entry			container_of
#define list_first_entry(head, type, member) list_entry((head)->next, type, member)
#define list_for_each_entry_safe(at, after, head, member)					\
	for (at = list_entry((head)->next, __typeof__(*at), member);				\
	     after = list_entry(at->member.next, __typeof__(*at), member),			\
	     &at->member != (head); at = after)

static inline void INIT_LIST_HEAD(struct list_head *h)
{
	h->next = h->prev = h;
}

static inline bool list_empty(const struct list_head *h)
{
	return h->next == h;
}

static inline void list_add_tail(struct list_head *n, struct list_head *h)
{
	n->prev = h->prev;
	n->next = h;
	h->prev->next = n;
	h->prev = n;
}

static inline void list_del(struct list_head *n)
{
	n->prev->next = n->next;
	n->next->prev = n->prev;
}

static inline void list_move_tail(struct list_head *n, struct list_head *h)
{
	list_del(n);
	list_add_tail(n, h);
}

static inline void list_splice_init(struct list_head *from, struct list_head *to)
{
	while (!list_empty(from))
		list_move_tail(from->next, to);
}

struct hlist_node {
	struct hlist_node *next, **at;
};
struct hlist_head {
	struct hlist_node *first;
};
#define hlist_entry_or_null(p, type, member) ((p) ? container_of(p, type, member) : NULL)
#define hlist_for_each_entry(e, head, member)							\
	for (e = hlist_entry_or_null((head)->first, __typeof__(*e), member); e;			\
	     e = hlist_entry_or_null(e->member.next, __typeof__(*e), member))

static inline void hlist_add_head(struct hlist_node *n, struct hlist_head *h)
{
	n->next = h->first;
	n->at = &h->first;
	if (n->next)
		n->next->at = &n->next;
	h->first = n;
}

static inline void hlist_del_init(struct hlist_node *n)
{
	if (!n->at)
		return;
	*n->at = n->next;
	if (n->next)
		n->next->at = n->at;
	n->at = NULL;
}
#define hlist_del hlist_del_init

/* ---- locks and sleep ---- */

#define DEFINE_MUTEX(name)		int name
#define mutex_lock(m)			((void)++*(m))
#define mutex_unlock(m)			((void)--*(m))
#define lockdep_assert_held(m)		((void)(m))

static __attribute__((unused)) unsigned int fake_sleeps;
#define usleep_range(from, to)		((void)fake_sleeps++)

/* ---- CPUs, interrupts, work ---- */

#define HZ				250
#define DIV_ROUND_UP(a, b)		(((a) + (b) - 1) / (b))
#define smp_mb()			__atomic_thread_fence(__ATOMIC_SEQ_CST)
#define DECLARE_PER_CPU(type, name)	extern type name
#define DEFINE_PER_CPU(type, name)	type name
#define per_cpu(name, cpu)		(*((void)(cpu), &(name)))
#define this_cpu_add(field, n)		((field) += (n))
#define for_each_possible_cpu(cpu)	for ((cpu) = 0; (cpu) < 1; (cpu)++)
#define ATOMIC_INIT(n)			(n)
#define atomic_inc(p)			((void)++*(p))
#define atomic_dec(p)			((void)--*(p))
#define atomic_read(p)			(*(p))
#define __rcu
#define rcu_dereference(p)		(p)
#define msleep(ms)			((void)fake_sleeps++)

typedef int atomic_t;
struct irq_work {
	void (*work)(struct irq_work *);
};
struct llist_node {
	struct llist_node *next;
};
struct work_struct;
struct workqueue_struct;
struct delayed_work {
	void (*work)(struct work_struct *);
};
static __attribute__((unused)) unsigned long jiffies;

#define time_after(a, b)		((long)((b) - (a)) < 0)
#define init_irq_work(w, function)	((w)->work = (function))
#define irq_work_queue(w)		((w)->work(w))
#define irq_work_sync(w)		((void)(w))
#define DECLARE_DELAYED_WORK(name, function) struct delayed_work name = { .work = function }
#define WQ_UNBOUND			0
#define WQ_HIGHPRI			0
#define alloc_workqueue(name, flags, nr) ((struct workqueue_struct *)(name))
#define destroy_workqueue(q)		((void)(q))
#define queue_delayed_work(q, w, delay)	((void)(q), (void)(delay))
#define mod_delayed_work(q, w, delay)	((void)(q), (void)(delay))
#define flush_delayed_work(w)		((w)->work(NULL))
#define cancel_delayed_work_sync(w)	((void)(w))

/* ---- files ---- */

struct vfsmount {
	const char *at;			/* where it is mounted */
};
struct super_block {
	dev_t s_dev;
	struct {
		const char *name;
	} *s_type;
};
struct inode {
	unsigned long i_ino;
	u32 i_generation;
	unsigned int i_nlink;
	struct super_block *i_sb;
};
struct dentry {
	struct {
		u32 hash;
	} d_name;
	const char *text;		/* the path below the mount */
	bool deleted;
	struct inode *inode;
	int refs;
};
struct path {
	struct vfsmount *mnt;
	struct dentry *dentry;
};
struct file {
	struct path f_path;
	int refs;
};
struct cred;
struct poll_table_struct;
typedef unsigned int __poll_t;

#define file_inode(f)			((f)->f_path.dentry->inode)
#define d_real_inode(d)			((d)->inode)
#define op_file_user_path(f)		(&(f)->f_path)
#define path_get(p)			((void)(p)->dentry->refs++)
#define path_put(p)			((void)(p)->dentry->refs--)
#define fput(f)				((void)(f)->refs--)
#define d_is_reg(d)			((d)->inode)
#define dentry_open(path, flags, cred)	((void)(cred), (struct file *)NULL)
#define get_unused_fd_flags(flags)	3
#define put_unused_fd(fd)		((void)(fd))
#define fd_install(fd, file)		((void)(file))
#define get_user(value, p)		((value) = *(p), 0)
#define put_user(value, p)		(*(p) = (value), 0)
#define u64_to_user_ptr(n)		((void *)(uintptr_t)(n))
#define copy_from_user(to, from, n)	(memcpy(to, from, n), 0)
#define copy_to_user(to, from, n)	(memcpy(to, from, n), 0)

static __attribute__((unused)) unsigned int fake_paths;	/* that were asked for */

static inline char *d_path(const struct path *p, char *buf, int len)
{
	int n = snprintf(buf, len, "%s%s%s", p->mnt->at, p->dentry->text,
			 p->dentry->deleted ? " (deleted)" : "");

	fake_paths++;
	return n >= len ? ERR_PTR(-ENAMETOOLONG) : buf;
}

/* ---- processes ---- */

#define VM_EXEC 4

struct mm_struct {
	struct file *exe_file;
	int users;
	bool locked;			/* its mmap_lock is taken, by somebody else */
	unsigned long start_brk, brk, start_stack;
	struct vm_area_struct *vma;	/* the only one */
};
struct vm_operations_struct {
	const char *(*name)(struct vm_area_struct *v);
};
struct vm_area_struct {
	unsigned long vm_start, vm_end, vm_pgoff, vm_flags;
	struct mm_struct *vm_mm;
	struct file *vm_file;
	const struct vm_operations_struct *vm_ops;
};

#define rcu_access_pointer(p)		(p)
#define mmget_not_zero(mm)		((mm)->users ? ++(mm)->users : 0)
#define mmput_async(mm)			((void)(mm)->users--)
#define mmap_read_trylock(mm)		(!(mm)->locked)
#define mmap_read_unlock(mm)		((void)(mm))
#define op_mm_vdso(mm)			((void)(mm), 0ul)

static inline struct vm_area_struct *find_vma(struct mm_struct *mm, unsigned long at)
{
	return mm->vma && at < mm->vma->vm_end ? mm->vma : NULL;
}

#endif
