// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * maps.c - keep copies of sampled processes' executable mappings (maps.h)
 *
 * One raw spinlock guards the table of processes, in hard interrupts and tasks; walks and the hook
 * read it under RCU. Only one worker makes and publishes copies.
 */
#include <linux/delay.h>
#include <linux/hash.h>
#include <linux/irq_work.h>
#include <linux/ktime.h>
#include <linux/llist.h>
#include <linux/mm.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include "module/dcookie.h"
#include "module/maps.h"
#include "module/unwind_tables.h"

#define SPACES_MAX	4096
#define MAPS_MAX	4096			/* of a process; further ones are ignored */
#define LOOKS_MAX	(16 * MAPS_MAX)		/* mappings examined, executable or not */
#define HASH_BITS	10
#define IDLE		(10 * HZ)		/* not sampled for so long: released */
#define TIDY_PERIOD	(HZ / 4)
#define PAUSE_MIN	(HZ / 200 ?: 1)		/* between two copies of one process, */
#define PAUSE_FACTOR	100			/* or this many times the last copy's cost */
#define NAPS_OF_COPY	10			/* for mmap_lock, NAP_US each, */
#define NAPS_OF_PASS	100			/* and of all copies of a pass */
#define NAP_US		20

/* A process; free while mm is NULL. */
struct space {
	struct hlist_node node;
	struct rcu_head rcu;
	struct mm_struct *mm;
	pid_t tgid;
	struct op_maps __rcu *maps;
	bool wanted;			/* a new copy is */
	bool leaving;			/* being released; private to the worker */
	struct llist_node released;	/* once no walk uses it */
	unsigned long used;		/* jiffies of the last walk */
	unsigned long not_before;	/* jiffies: earliest time of the next copy */
};

static void update_spaces(struct work_struct *work);

static DEFINE_RAW_SPINLOCK(lock);	/* guards changes of the table and the free list */
static struct hlist_head table[1 << HASH_BITS];
static HLIST_HEAD(free_spaces);
static struct space *pool;
static struct op_map *scratch;		/* private to the worker */
static bool watched;
static struct workqueue_struct *queue;
static DECLARE_DELAYED_WORK(work, update_spaces);
static struct irq_work kick_work;
static unsigned int nr_ever_used;	/* of the pool, from its start */
static LLIST_HEAD(released);

/* Walks and pins happen only while the pool exists. */
bool op_maps_are_kept(void)
{
	return READ_ONCE(watched);
}

static struct hlist_head *bucket(const struct mm_struct *mm)
{
	return &table[hash_ptr(mm, HASH_BITS)];
}

/* Under rcu_read_lock() or the lock. */
static struct space *find(const struct mm_struct *mm)
{
	struct space *s;

	hlist_for_each_entry_rcu(s, bucket(mm), node, lockdep_is_held(&lock))
		if (s->mm == mm)
			return s;
	return NULL;
}

static struct space *find_by_number(u64 mm)
{
	return find((const struct mm_struct *)(unsigned long)mm);	/* compared, not followed */
}

static void request_copy(struct space *s)
{
	if (READ_ONCE(s->wanted))
		return;
	WRITE_ONCE(s->wanted, true);
	irq_work_queue(&kick_work);
}

/* ---- interrupts ---- */

static struct space *make(struct mm_struct *mm)
{
	struct space *s = hlist_entry_safe(free_spaces.first, struct space, node);

	lockdep_assert_held(&lock);
	if (!s)
		return NULL;
	hlist_del(&s->node);
	if (s - pool >= nr_ever_used)
		WRITE_ONCE(nr_ever_used, s - pool + 1);
	memset(s, 0, sizeof(*s));
	mmgrab(mm);
	s->used = s->not_before = jiffies;
	s->tgid = current->tgid;
	smp_store_release(&s->mm, mm);
	hlist_add_head_rcu(&s->node, bucket(mm));
	return s;
}

void op_maps_request_current(void)
{
	struct mm_struct *mm = current->mm;
	unsigned long flags;
	struct space *s;

	if (!op_maps_are_kept())
		return;
	rcu_read_lock();
	if (!find(mm)) {
		raw_spin_lock_irqsave(&lock, flags);
		s = find(mm) ? NULL : make(mm);
		raw_spin_unlock_irqrestore(&lock, flags);
		if (s)
			request_copy(s);
	}
	rcu_read_unlock();
}

void op_maps_unmapped(struct mm_struct *mm, unsigned long start, unsigned long end)
{
	struct op_maps *maps;
	struct space *s;

	if (!pool)
		return;
	rcu_read_lock();
	s = find(mm);
	maps = s ? rcu_dereference(s->maps) : NULL;
	if (maps)
		op_maps_remove(maps, start, end);
	rcu_read_unlock();
}

const struct op_maps *op_maps_find(u64 mm)
{
	struct op_maps *maps;
	struct space *s;

	if (!op_maps_are_kept())
		return NULL;
	s = find_by_number(mm);
	if (!s)
		return NULL;
	if (READ_ONCE(s->used) != jiffies)
		WRITE_ONCE(s->used, jiffies);
	maps = rcu_dereference(s->maps);
	if (!maps)
		request_copy(s);
	return maps;
}

void op_maps_request(u64 mm)
{
	struct space *s = find_by_number(mm);

	if (s)
		request_copy(s);
}

/* ---- the worker ---- */

/* Signal handlers return through the vdso: request its table before a walk misses it. */
static struct op_image *image_of_vdso(void)
{
	struct op_image *image = op_image_get(OP_COOKIE_VDSO);

	if (image)
		op_image_missed(image);
	return image;
}

static bool is_vdso(const struct vm_area_struct *v)
{
	return v->vm_start == op_mm_vdso(v->vm_mm);
}

/* Most files will never have a sample: they get a number and are not held. */
static struct op_image *image_of(const struct vm_area_struct *v)
{
	return v->vm_file ? op_cookie_image(v->vm_file, op_image_get) : image_of_vdso();
}

/* Append anonymous memory to scratch, by 4 GiB as tables of made code are. The new number. */
static unsigned int copy_made(const struct vm_area_struct *v, pid_t tgid, unsigned int nr)
{
	const u64 size = 1ULL << 32;
	u64 from, to;

	for (from = v->vm_start; nr < MAPS_MAX && from < v->vm_end; from = to) {
		to = min_t(u64, v->vm_end, (from & ~(size - 1)) + size);
		scratch[nr++] = (struct op_map){
			.start = from, .end = to, .offset = from & (size - 1),
			.image = op_image_get_made(OP_COOKIE_MADE(tgid, from >> 32), v->vm_mm),
		};
	}
	return nr;
}

static void put_images(const struct op_map *map, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		op_image_put(map[i].image);
}

/* Copy the executable mappings into scratch, with references to their images. Their number. */
static unsigned int copy(struct mm_struct *mm, pid_t tgid)
{
	unsigned int nr = 0, looks = 0;
	struct vm_area_struct *v;
	unsigned long at = 0;

	while (nr < MAPS_MAX && looks++ < LOOKS_MAX && (v = find_vma(mm, at))) {
		if ((v->vm_flags & VM_EXEC) && !v->vm_file && !is_vdso(v))
			nr = copy_made(v, tgid, nr);
		else if (v->vm_flags & VM_EXEC)
			scratch[nr++] = (struct op_map){
				.start = v->vm_start, .end = v->vm_end,
				.offset = v->vm_file ? (u64)v->vm_pgoff << PAGE_SHIFT : 0,
				.image = image_of(v),
			};
		at = v->vm_end;
	}
	return nr;
}

static void free_maps(struct rcu_head *rcu)
{
	struct op_maps *maps = container_of(rcu, struct op_maps, rcu);

	put_images(maps->map, maps->nr);
	op_unwind_memory_give(OP_UNWIND_FOR_MAPS, maps->size);
	kvfree(maps);
}

static void replace(struct space *s, struct op_maps *maps)
{
	struct op_maps *old = rcu_dereference_protected(s->maps, true);

	rcu_assign_pointer(s->maps, maps);
	if (old)
		call_rcu(&old->rcu, free_maps);
}

/* Publish the first @nr of scratch, with mmap_lock held so that no unmap goes unseen. */
static void publish(struct space *s, unsigned int nr)
{
	struct op_maps *maps = NULL;
	size_t size = struct_size(maps, map, nr);

	if (op_unwind_memory_take(OP_UNWIND_FOR_MAPS, size)) {
		maps = kvmalloc(size, GFP_KERNEL | __GFP_NORETRY | __GFP_NOWARN);
		if (!maps)
			op_unwind_memory_give(OP_UNWIND_FOR_MAPS, size);
	}
	if (maps) {
		maps->made = jiffies;
		maps->nr = nr;
		maps->size = size;
		memcpy(maps->map, scratch, nr * sizeof(*scratch));
	} else {
		put_images(scratch, nr);
	}
	replace(s, maps);
}

/*
 * Try to lock @mm for reading. One that keeps mapping frees the lock now and then, and gets a few
 * more tries as long as the pass has @naps left; one that does not has no maps meanwhile.
 */
static bool lock_for_reading(struct mm_struct *mm, unsigned int *naps)
{
	unsigned int left = min_t(unsigned int, *naps, NAPS_OF_COPY);

	while (!mmap_read_trylock(mm)) {
		if (!left)
			return false;
		left--;
		(*naps)--;
		usleep_range(NAP_US, 2 * NAP_US);
	}
	return true;
}

static void copy_one(struct space *s, unsigned int *naps)
{
	u64 begin, pause = 0;

	WRITE_ONCE(s->wanted, false);
	if (!mmget_not_zero(s->mm))
		return;
	if (lock_for_reading(s->mm, naps)) {
		begin = ktime_get_ns();
		publish(s, copy(s->mm, s->tgid));
		mmap_read_unlock(s->mm);
		pause = nsecs_to_jiffies64(PAUSE_FACTOR * (ktime_get_ns() - begin));
	}
	mmput_async(s->mm);		/* exit_mmap() must not run in this worker */
	s->not_before = jiffies + max_t(u64, PAUSE_MIN, pause);
}

static void add_released(struct rcu_head *rcu)
{
	struct space *s = container_of(rcu, struct space, rcu);

	llist_add(&s->released, &released);
}

/* Free spaces that no walk uses any more; RCU callbacks must not call mmdrop(). */
static void free_released(void)
{
	struct llist_node *all = llist_del_all(&released);
	struct space *s, *next;

	llist_for_each_entry_safe(s, next, all, released) {
		mmdrop(s->mm);
		WRITE_ONCE(s->mm, NULL);
		raw_spin_lock_irq(&lock);
		hlist_add_head(&s->node, &free_spaces);
		raw_spin_unlock_irq(&lock);
	}
}

static void release(struct space *s)
{
	raw_spin_lock_irq(&lock);
	hlist_del_rcu(&s->node);
	raw_spin_unlock_irq(&lock);
	s->leaving = true;
	replace(s, NULL);
	call_rcu(&s->rcu, add_released);
}

static bool is_idle(const struct space *s)
{
	return !atomic_read(&s->mm->mm_users) || time_after(jiffies, READ_ONCE(s->used) + IDLE);
}

/* Make the copies that are wanted and due, release idle processes, and run again later. */
static void update_spaces(struct work_struct *unused)
{
	unsigned long wait = TIDY_PERIOD;
	unsigned int i, nr = READ_ONCE(nr_ever_used), naps = NAPS_OF_PASS;

	free_released();
	for (i = 0; i < nr; i++) {
		struct space *s = &pool[i];

		if (!smp_load_acquire(&s->mm) || s->leaving)
			continue;
		if (is_idle(s))
			release(s);
		else if (READ_ONCE(s->wanted) && time_after_eq(jiffies, s->not_before))
			copy_one(s, &naps);
		else if (READ_ONCE(s->wanted))
			wait = min(wait, s->not_before - jiffies);
		cond_resched();
	}
	if (READ_ONCE(watched))
		queue_delayed_work(queue, &work, wait);
}

static void kick(struct irq_work *unused)
{
	if (READ_ONCE(watched))
		mod_delayed_work(queue, &work, 0);
}

/* ---- set-up ---- */

int op_maps_alloc(void)
{
	unsigned int i;

	if (!op_unwind_tables_wanted())
		return 0;
	init_irq_work(&kick_work, kick);
	pool = kvcalloc(SPACES_MAX, sizeof(*pool), GFP_KERNEL | __GFP_NOWARN);
	scratch = kvcalloc(MAPS_MAX, sizeof(*scratch), GFP_KERNEL | __GFP_NOWARN);
	/* a queue of its own: samples taken before the worker runs have no maps */
	queue = alloc_workqueue("oprofile-maps", WQ_UNBOUND | WQ_HIGHPRI, 1);
	if (!pool || !scratch || !queue) {
		op_maps_free();
		return -ENOMEM;
	}
	nr_ever_used = 0;
	for (i = SPACES_MAX; i--;)
		hlist_add_head(&pool[i].node, &free_spaces);
	return 0;
}

void op_maps_free(void)
{
	unsigned int i;

	if (queue)
		destroy_workqueue(queue);
	for (i = 0; pool && i < nr_ever_used; i++)
		if (pool[i].mm && !pool[i].leaving)
			release(&pool[i]);
	rcu_barrier();		/* wait for pending callbacks */
	free_released();
	INIT_HLIST_HEAD(&free_spaces);
	kvfree(scratch);
	kvfree(pool);
	queue = NULL;
	scratch = NULL;
	pool = NULL;
}

/* Copies made before are dropped, because unmaps went unseen since. */
void op_maps_watch(void)
{
	unsigned int i;

	if (!pool)
		return;
	for (i = 0; i < nr_ever_used; i++)
		replace(&pool[i], NULL);
	WRITE_ONCE(watched, true);
	queue_delayed_work(queue, &work, TIDY_PERIOD);
}

void op_maps_unwatch(void)
{
	if (!pool)
		return;
	WRITE_ONCE(watched, false);
	irq_work_sync(&kick_work);
	cancel_delayed_work_sync(&work);
}
