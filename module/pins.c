// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pins.c - the pinned processes and the log of their unmapped files (pins.h)
 *
 * One raw spinlock, taken in hard interrupts and in the unmap hook, never in NMI. Nothing is
 * allocated under it: both tables use pools allocated at set-up, which also bound them.
 */
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/hash.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include "module/buffer_sync.h"
#include "module/cpu_buffer.h"
#include "module/maps.h"
#include "module/pins.h"

#define PINS_MAX	4096
#define UNMAPS_MAX	16384
#define UNMAPS_PER_PIN	1024
#define HASH_BITS	8

struct unmap {
	struct list_head node;
	unsigned long start, end;
	u64 offset;		/* of start in the file */
	struct file *file;
	u32 sequence, generation;
};

static struct op_pin *pin_pool;
static struct unmap *unmap_pool;

static DEFINE_RAW_SPINLOCK(lock);	/* everything below */
static struct hlist_head table[1 << HASH_BITS];
static HLIST_HEAD(free_pins);
static LIST_HEAD(free_unmaps);
static unsigned int nr_free_pins, nr_free_unmaps;
static u32 sequence = 1;
static bool hold_users;

int op_pins_alloc(void)
{
	int i;

	pin_pool = kvcalloc(PINS_MAX, sizeof(*pin_pool), GFP_KERNEL | __GFP_NOWARN);
	unmap_pool = kvcalloc(UNMAPS_MAX, sizeof(*unmap_pool), GFP_KERNEL | __GFP_NOWARN);
	if (!pin_pool || !unmap_pool) {
		op_pins_free();
		return -ENOMEM;
	}
	for (i = 0; i < PINS_MAX; i++)
		hlist_add_head(&pin_pool[i].node, &free_pins);
	for (i = 0; i < UNMAPS_MAX; i++)
		list_add(&unmap_pool[i].node, &free_unmaps);
	nr_free_pins = PINS_MAX;
	nr_free_unmaps = UNMAPS_MAX;
	return 0;
}

void op_pins_free(void)
{
	INIT_HLIST_HEAD(&free_pins);
	INIT_LIST_HEAD(&free_unmaps);
	kvfree(pin_pool);
	kvfree(unmap_pool);
	pin_pool = NULL;
	unmap_pool = NULL;
}

void op_pins_hold_users(bool hold)
{
	hold_users = hold;
}

u32 op_unmap_sequence(void)
{
	return READ_ONCE(sequence);
}

static struct hlist_head *bucket(const struct mm_struct *mm)
{
	return &table[hash_ptr(mm, HASH_BITS)];
}

static struct op_pin *find(const struct mm_struct *mm)
{
	struct op_pin *p;

	lockdep_assert_held(&lock);
	hlist_for_each_entry(p, bucket(mm), node)
		if (p->mm == mm)
			return p;
	return NULL;
}

/* current->mm is not NULL, so the task holds it and taking another reference is safe. */
static struct op_pin *make(struct mm_struct *mm, u32 generation)
{
	struct op_pin *p = hlist_entry_safe(free_pins.first, struct op_pin, node);

	lockdep_assert_held(&lock);
	if (!p)
		return NULL;
	hlist_del(&p->node);
	if (nr_free_pins-- == PINS_MAX / 2)
		op_sync_kick(OP_SYNC_NOW);
	memset(p, 0, sizeof(*p));
	p->holds_users = hold_users;
	if (p->holds_users)
		mmget(mm);
	else
		mmgrab(mm);
	p->mm = mm;
	p->generation = generation;
	p->exe = op_mm_exe_file(mm);
	INIT_LIST_HEAD(&p->unmaps);
	hlist_add_head(&p->node, bucket(mm));
	return p;
}

bool op_pin_current(struct op_cpu_buffer *b, u32 generation)
{
	struct mm_struct *mm = current->mm;
	struct op_pin *p;

	raw_spin_lock(&lock);
	p = find(mm) ?: make(mm, generation);
	if (p && (s32)(generation - p->generation) > 0)
		p->generation = generation;	/* unless another CPU is ahead */
	raw_spin_unlock(&lock);
	if (!p)
		return false;
	op_maps_request_current();
	/* an NMI here must not see the old process with the new generation, or the reverse */
	WRITE_ONCE(b->pinned_generation, 0);
	barrier();
	WRITE_ONCE(b->pinned_mm, mm);
	barrier();
	WRITE_ONCE(b->pinned_generation, generation);
	return true;
}

void op_pin_work(struct irq_work *work)
{
	if (current->mm && !(current->flags & PF_KTHREAD))
		op_pin_current(container_of(work, struct op_cpu_buffer, pin_work),
			       READ_ONCE(op_generation));
}

static struct unmap *take_unmap(struct op_pin *p)
{
	struct unmap *u = list_first_entry_or_null(&free_unmaps, struct unmap, node);

	if (!u || p->nr_unmaps >= UNMAPS_PER_PIN)
		return NULL;
	if (nr_free_unmaps-- == UNMAPS_MAX / 2)
		op_sync_kick(OP_SYNC_NOW);
	list_move_tail(&u->node, &p->unmaps);
	WRITE_ONCE(p->nr_unmaps, p->nr_unmaps + 1);
	return u;
}

/*
 * A kprobe that is a breakpoint runs its handler as if in NMI, where lockdep objects to spinning
 * for a lock. It is safe nevertheless: the breakpoint interrupts mm code, never an owner of the
 * lock.
 */
static void lock_in_hook(void) __acquires(&lock)
{
	lockdep_assert_irqs_disabled();
	while (!raw_spin_trylock(&lock))
		cpu_relax();
}

void op_unmap_log(struct vm_area_struct *vma, unsigned long start, unsigned long end)
{
	struct unmap *u = NULL;
	unsigned long flags;
	struct op_pin *p;

	local_irq_save(flags);
	lock_in_hook();
	p = find(vma->vm_mm);
	if (p)
		u = take_unmap(p);
	if (u) {
		u->start = max(start, vma->vm_start);
		u->end = min(end, vma->vm_end);
		u->offset = ((u64)vma->vm_pgoff << PAGE_SHIFT) + (u->start - vma->vm_start);
		u->file = get_file(vma->vm_file);
		u->generation = READ_ONCE(op_generation);
		u->sequence = sequence;
		WRITE_ONCE(sequence, sequence + 1);
	}
	raw_spin_unlock(&lock);
	local_irq_restore(flags);
	if (p)
		op_sync_kick(OP_SYNC_SOON);
}

struct op_pin *op_pin_find(u64 mm)
{
	struct op_pin *p;

	raw_spin_lock_irq(&lock);
	p = find((const struct mm_struct *)(unsigned long)mm);	/* compared, not followed */
	raw_spin_unlock_irq(&lock);
	return p;
}

struct file *op_unmap_find(struct op_pin *p, unsigned long pc, u32 seq, bool any, u64 *ret_offset)
{
	struct unmap *u, *hit = NULL;
	struct file *file = NULL;

	if (!READ_ONCE(p->nr_unmaps))
		return NULL;
	raw_spin_lock_irq(&lock);
	/* newest first: the oldest one after the sample is wanted, that is the last one found */
	list_for_each_entry_reverse(u, &p->unmaps, node) {
		if (!any && (s32)(u->sequence - seq) < 0)
			break;
		if (pc < u->start || pc >= u->end)
			continue;
		hit = u;
		if (any)
			break;		/* the newest that covers it */
	}
	if (hit) {
		file = get_file(hit->file);
		*ret_offset = hit->offset + (pc - hit->start);
	}
	raw_spin_unlock_irq(&lock);
	return file;
}

/* Unlink what only generations up to @upto needed from one bucket. */
static void unlink_old(struct hlist_head *head, u32 upto, struct hlist_head *pins,
		       struct list_head *unmaps)
{
	struct hlist_node *next;
	struct unmap *u, *un;
	struct op_pin *p;

	lockdep_assert_held(&lock);
	hlist_for_each_entry_safe(p, next, head, node) {
		bool old = (s32)(p->generation - upto) <= 0;

		/*
		 * A sample of the next generation may need an unmap logged in the last one, because
		 * a change of generation does not wait for the hook.
		 */
		list_for_each_entry_safe(u, un, &p->unmaps, node)
			if (old || (s32)(u->generation - upto) < 0) {
				list_move_tail(&u->node, unmaps);
				WRITE_ONCE(p->nr_unmaps, p->nr_unmaps - 1);
			}
		if (old) {
			hlist_del(&p->node);
			hlist_add_head(&p->node, pins);
		}
	}
}

static void release_pin(struct op_pin *p)
{
	if (p->exe)
		fput(p->exe);
	if (p->holds_users)
		mmput_async(p->mm);	/* exit_mmap() must not run under the sync's mutex */
	else
		mmdrop(p->mm);
}

static void return_to_pools(struct hlist_head *pins, struct list_head *unmaps)
{
	struct hlist_node *next;
	struct op_pin *p;
	struct unmap *u;

	raw_spin_lock_irq(&lock);
	hlist_for_each_entry_safe(p, next, pins, node) {
		hlist_del(&p->node);
		hlist_add_head(&p->node, &free_pins);
		nr_free_pins++;
	}
	list_for_each_entry(u, unmaps, node)
		nr_free_unmaps++;
	list_splice(unmaps, &free_unmaps);
	raw_spin_unlock_irq(&lock);
}

void op_pins_drop(u32 upto)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(table); i++) {
		HLIST_HEAD(pins);
		LIST_HEAD(unmaps);
		struct op_pin *p;
		struct unmap *u;

		if (hlist_empty(&table[i]))
			continue;
		raw_spin_lock_irq(&lock);
		unlink_old(&table[i], upto, &pins, &unmaps);
		raw_spin_unlock_irq(&lock);
		hlist_for_each_entry(p, &pins, node)
			release_pin(p);
		list_for_each_entry(u, &unmaps, node)
			fput(u->file);
		return_to_pools(&pins, &unmaps);
	}
}
