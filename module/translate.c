// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * translate.c - find what is or was mapped at an address (translate.h)
 *
 * The process may be alive, exiting, or gone:
 *  - alive: search the log of unmapped files first, then the current mappings;
 *  - gone: the log has all its file mappings; the mm still has the bounds of vdso and heap;
 *  - exiting: its mappings enter the log one by one. exe_file is cleared only after the last, so
 *    until then the sample is retried later.
 *
 * A hostile user may keep mmap_lock taken: it is only tried. All processes together make a pass
 * sleep OP_WALK_SLEEPS times at most; what is not found by then is retried in the next pass.
 */
#include <linux/delay.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include "module/dcookie.h"
#include "module/translate.h"

#define RUN_SLEEPS	5		/* of a run of samples, at most */

static unsigned long vdso_size = 2 * PAGE_SIZE;	/* until one has been seen */

static void set_anon(struct op_anon *a, unsigned long start, unsigned long end, const char *name)
{
	size_t len = min(strlen(name), sizeof(a->name));

	memset(a, 0, sizeof(*a));
	a->start = start;
	a->end = end;
	memcpy(a->name, name, len);
}

static void leave(struct op_walk *w)
{
	if (w->live) {
		mmap_read_unlock(w->live);
		mmput_async(w->live);	/* exit_mmap() must not run under the sync's mutex */
	}
	w->live = NULL;
	w->entered = w->stalled = false;
	w->start = w->end = 0;
}

void op_walk_end(struct op_walk *w)
{
	leave(w);
	w->pin = NULL;
}

void op_walk_begin(struct op_walk *w, u64 mm)
{
	if (w->pin && (unsigned long)w->pin->mm == mm)
		return;
	op_walk_end(w);
	if (mm)
		w->pin = op_pin_find(mm);
}

op_word op_walk_app(struct op_walk *w)
{
	struct op_pin *p = w->pin;

	if (!p || !p->exe)
		return OP_NO_COOKIE;
	if (p->app_pass != op_cookies_pass()) {
		p->app = op_cookie_get(p->exe);
		if (p->app == OP_INVALID_COOKIE)
			p->app = OP_NO_COOKIE;
		p->app_pass = op_cookies_pass();
	}
	return p->app;
}

/* Whether every mapping of a process without users has been removed (and logged). */
static bool is_gone(struct mm_struct *mm)
{
	if (rcu_access_pointer(mm->exe_file))
		return false;
	smp_rmb();	/* read the log after exe_file; it was written before */
	return true;
}

/* Find whether the process is alive, and if so lock its mm. false: neither is possible now. */
static bool try_to_enter(struct op_walk *w)
{
	struct mm_struct *mm = w->pin->mm;

	if (!mmget_not_zero(mm))
		return is_gone(mm);
	if (mmap_read_trylock(mm)) {
		w->live = mm;
		return true;
	}
	mmput_async(mm);
	return false;
}

/* The same, with some patience, once in a run. 0 or -EAGAIN. */
static int enter(struct op_walk *w, bool final)
{
	int i;

	if (w->entered)
		return 0;
	if (w->stalled && !final)
		return -EAGAIN;
	w->entered = try_to_enter(w);
	for (i = 0; !w->entered && !w->stalled && i < RUN_SLEEPS && *w->sleeps_left; i++) {
		--*w->sleeps_left;
		usleep_range(200, 500);
		w->entered = try_to_enter(w);
	}
	w->stalled = !w->entered;
	w->entered |= final;		/* treat it as gone: the log may still help */
	return w->entered ? 0 : -EAGAIN;
}

/* Name of a mapping without a file, as in /proc/PID/maps as far as it can be known. */
static const char *anon_name(struct vm_area_struct *v)
{
	const char *name = NULL;
	struct mm_struct *mm = v->vm_mm;

	if (v->vm_ops && v->vm_ops->name)
		name = v->vm_ops->name(v);
	if (name)
		return name;
	if (v->vm_start <= mm->brk && v->vm_end >= mm->start_brk)
		return "[heap]";
	if (v->vm_start <= mm->start_stack && v->vm_end >= mm->start_stack)
		return "[stack]";
	return "anon";
}

/* Make the mapping at @pc the walk's current one. */
static bool look_up(struct op_walk *w, unsigned long pc)
{
	struct vm_area_struct *v = find_vma(w->live, pc);

	if (!v || pc < v->vm_start)
		return false;
	w->start = v->vm_start;
	w->end = v->vm_end;
	w->is_code = v->vm_flags & VM_EXEC;
	if (v->vm_file) {
		w->offset = (u64)v->vm_pgoff << PAGE_SHIFT;
		w->cookie = op_cookie_get(v->vm_file);
		return true;
	}
	w->cookie = OP_NO_COOKIE;
	set_anon(&w->anon, v->vm_start, v->vm_end, anon_name(v));
	if (w->start == op_mm_vdso(w->live))
		vdso_size = w->end - w->start;
	return true;
}

/* 0; -ENOENT: not mapped; -ENODATA: its image has no cookie. */
static int in_live(struct op_walk *w, unsigned long pc, struct op_place *ret)
{
	if ((pc < w->start || pc >= w->end) && !look_up(w, pc))
		return -ENOENT;
	if (w->cookie == OP_INVALID_COOKIE)
		return -ENODATA;
	ret->cookie = w->cookie;
	ret->is_code = w->is_code;
	if (w->cookie == OP_NO_COOKIE) {
		ret->anon = w->anon;
		ret->address = pc;
	} else {
		ret->address = w->offset + (pc - w->start);
	}
	return 0;
}

/* As in_live(). */
static int in_log(struct op_walk *w, unsigned long pc, u32 sequence, bool any,
		  struct op_place *ret)
{
	struct file *file = op_unmap_find(w->pin, pc, sequence, any, &ret->address);

	if (!file)
		return -ENOENT;
	ret->cookie = op_cookie_get(file);
	ret->is_code = true;
	fput(file);
	return ret->cookie == OP_INVALID_COOKIE ? -ENODATA : 0;
}

/* An address in no file mapping of a process that is gone: the mm still has its layout. */
static void in_dead(const struct mm_struct *mm, unsigned long pc, struct op_place *ret)
{
	unsigned long vdso = op_mm_vdso(mm);

	ret->cookie = OP_NO_COOKIE;
	ret->address = pc;
	ret->is_code = vdso && pc >= vdso && pc < vdso + vdso_size;
	if (ret->is_code)
		set_anon(&ret->anon, vdso, vdso + vdso_size, "[vdso]");
	else if (pc >= mm->start_brk && pc < mm->brk)
		set_anon(&ret->anon, mm->start_brk, mm->brk, "[heap]");
	else
		set_anon(&ret->anon, 0, 0, "anon");
}

/*
 * munmap() hides a mapping some time before it is logged. Entries logged before the sample are then
 * of another mapping that was there earlier: if @patient, retry later, do not guess.
 */
static int find(struct op_walk *w, unsigned long pc, u32 sequence, bool final, bool patient,
		struct op_place *ret)
{
	int err;

	if (!w->pin)
		return -ESRCH;
	err = enter(w, final);
	if (err)
		return err;
	err = in_log(w, pc, sequence, false, ret);
	if (err == -ENOENT && w->live)
		err = in_live(w, pc, ret);
	if (err != -ENOENT)
		return err;
	if (w->live)
		return patient && !final ? -EAGAIN : -ENOENT;
	err = in_log(w, pc, sequence, true, ret);
	if (err != -ENOENT)
		return err;
	in_dead(w->pin->mm, pc, ret);
	return 0;
}

int op_walk_user(struct op_walk *w, unsigned long pc, u32 sequence, bool final,
		 struct op_place *ret)
{
	return find(w, pc, sequence, final, true, ret);
}

int op_walk_caller(struct op_walk *w, unsigned long address, u32 sequence, bool final,
		   struct op_place *ret)
{
	int err = find(w, address - 1, sequence, final, false, ret);

	if (err)
		return err;
	if (!ret->is_code)
		return -ENOENT;
	ret->address++;
	return 0;
}
