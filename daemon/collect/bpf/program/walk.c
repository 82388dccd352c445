// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * walk.c - the BPF program: walk the stack of a sample in its interrupt
 *
 * [nmi, irqs off] It runs when an event overflows. A stack that it can walk, it writes as addresses
 * and returns 0, so that the kernel writes nothing more. Else it returns 1, and the kernel writes
 * the sample with a copy of the stack, as without a program: whatever is not known here yet is done
 * there, and nothing is lost.
 *
 * For a sample that interrupts another BPF program, or a change of a BPF map, it is not run, and
 * the kernel drops that uncounted. So each run looks whether one was due before it. [PC-98]
 */
#include <asm-generic/errno-base.h>
#include <linux/types.h>
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

#include "daemon/collect/bpf/shared.h"
#include "runtime/walk.h"
#include "unwind/walk.h"

char LICENSE[] SEC("license") = "GPL";

#define USER_TOP	0x00fffffffffff000ull	/* with five page table levels */
#define USER_CS		0x33			/* of 64-bit code */
#define PF_IDLE		0x00000002
#define PF_KTHREAD	0x00200000
#define TIMER_MIN_NS	10000			/* perf makes shorter periods that */
#define STEPS_MAX	BPF_USER_MAX		/* of interpreters in a sample, useless ones too */

/* What is used of the kernel's structs; their real layout comes with the kernel's BTF. */
struct mm_struct;
struct pt_regs {
	unsigned long r15, r14, r13, r12, bp, bx, r11, r10, r9, r8, ax, cx, dx, si, di, orig_ax,
		      ip, cs, flags, sp, ss;
} __attribute__((preserve_access_index));
struct thread_struct {
	unsigned long fsbase;
} __attribute__((preserve_access_index));
struct task_struct {
	unsigned int flags;
	unsigned in_execve : 1;
	struct mm_struct *mm;
	struct thread_struct thread;
} __attribute__((preserve_access_index));
struct hrtimer {
	__s64 _softexpires;
} __attribute__((preserve_access_index));
struct hw_perf_event {
	struct hrtimer hrtimer;
} __attribute__((preserve_access_index));
struct perf_event {
	struct hw_perf_event hw;
} __attribute__((preserve_access_index));
struct bpf_perf_event_data_kern {
	struct perf_event *event;
} __attribute__((preserve_access_index));

/* The context of the program, as the verifier knows it. */
struct registers {
	unsigned long r15, r14, r13, r12, bp, bx, r11, r10, r9, r8, ax, cx, dx, si, di, orig_ax,
		      ip, cs, flags, sp, ss;
};
struct bpf_perf_event_data {
	struct registers regs;
	__u64 sample_period, addr;
};

/* The collector sets the sizes. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1 << BPF_SETS_SHIFT);
	__type(key, __u32);
	__type(value, struct bpf_process_set);
} processes SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct bpf_watch);
} watches SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct bpf_mapping);
} mappings SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct bpf_image);
} images SEC(".maps");

struct words {
	__u32 word[BPF_WORDS];
};
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct words);
} words SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct op_unwind_rule);
} rules SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} outputs SEC(".maps");

/* Of one CPU. A sample that interrupts the program does not run it again. */
struct walk {
	struct op_unwind_cursor cursor;
	struct bpf_process process;
	__u32 way;			/* of the process in its set */
	struct bpf_mapping last;	/* that of the frame before */
	bool copy;			/* the stack is to be copied */
	bool is_leaf;			/* the cursor's frame is the sample itself */
	bool has_runtime;		/* the next is begun */
	__u32 nr_steps;			/* of it */
	struct op_runtime_walk runtime;
	struct op_runtime_native native;
	struct op_runtime_frame frame;
	enum op_runtime_result result;
	struct bpf_stack stack;
};
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct walk);
} walks SEC(".maps");

/* ---- tables ---- */

static __always_inline __u32 word_at(__u32 index)
{
	__u32 block = index / BPF_WORDS;
	struct words *w = bpf_map_lookup_elem(&words, &block);

	return w ? w->word[index % BPF_WORDS] : 0;
}

struct search {
	__u64 key;
	__u32 base, low, nr;		/* as in op_unwind_lookup() */
};

static long halve_rows(__u32 i, void *context)
{
	struct search *s = context;
	__u32 half = (s->nr + 1) / 2;

	if (!s->nr)
		return 1;
	if ((__u16)word_at(s->base + s->low + half - 1) <= s->key) {
		s->low += half;
		s->nr -= half;
	} else {
		s->nr = half - 1;
	}
	return 0;
}

/* op_unwind_rule_at() for a table in maps. */
static __noinline const struct op_unwind_rule *rule_at(const struct bpf_image *image, __u64 offset)
{
	__u64 page = (offset >> OP_UNWIND_PAGE_SHIFT) - image->first_page;
	struct search s = { .key = (__u16)offset, .base = image->rows };
	struct op_unwind_rule *rule;
	__u32 index;

	if (image->state < BPF_IMAGE_TABLE || page >= image->nr_pages)
		return NULL;
	s.low = word_at(image->pages + page);
	s.nr = word_at(image->pages + page + 1) - s.low;
	bpf_loop(OP_UNWIND_PAGE_SHIFT + 1, halve_rows, &s, 0);
	if (!s.low)
		return NULL;
	index = image->rules + (word_at(image->rows + s.low - 1) >> 16);
	rule = bpf_map_lookup_elem(&rules, &index);
	return rule && rule->cfa != OP_CFA_NONE ? rule : NULL;
}

/* ---- processes and mappings ---- */

static __always_inline __u64 serial_of(const struct bpf_process *p)
{
	return *(const volatile __u64 *)&p->serial;
}

/* Set w->process. The serial is written last, and read first. */
static __noinline bool find_process(struct walk *w, __u32 tgid)
{
	__u32 index = bpf_set_of(tgid);
	struct bpf_process_set *set = bpf_map_lookup_elem(&processes, &index);

	for (__u32 i = 0; set && i < BPF_WAYS; i++) {
		w->process.serial = serial_of(&set->way[i]);
		barrier();
		w->process.tgid = set->way[i].tgid;
		w->process.first = set->way[i].first;
		w->process.nr = set->way[i].nr;
		w->way = i;
		if (w->process.serial && w->process.tgid == tgid)
			return true;
	}
	return false;
}

/* Whether the process is still what find_process() found. */
static __always_inline bool is_still_known(const struct walk *w)
{
	__u32 index = bpf_set_of(w->process.tgid);
	struct bpf_process_set *set = bpf_map_lookup_elem(&processes, &index);

	return set && serial_of(&set->way[w->way % BPF_WAYS]) == w->process.serial;
}

static long halve_mappings(__u32 i, void *context)
{
	struct search *s = context;
	__u32 half = (s->nr + 1) / 2, index = s->base + s->low + half - 1;
	struct bpf_mapping *m;

	if (!s->nr)
		return 1;
	m = bpf_map_lookup_elem(&mappings, &index);
	if (m && m->start <= s->key) {
		s->low += half;
		s->nr -= half;
	} else {
		s->nr = half - 1;
	}
	return 0;
}

/* Set w->last to the mapping of @place. False: it is in none. */
static __noinline bool find_mapping(struct walk *w, __u64 place)
{
	struct search s = { .key = place, .base = w->process.first, .nr = w->process.nr };
	struct bpf_mapping *m;
	__u32 index;

	if (place >= w->last.start && place < w->last.end)
		return true;
	bpf_loop(32, halve_mappings, &s, 0);
	index = s.base + s.low - 1;
	m = s.low ? bpf_map_lookup_elem(&mappings, &index) : NULL;
	if (!m || place < m->start || place >= m->end)
		return false;
	w->last = *m;
	return true;
}

/* ---- the walk ---- */

static __always_inline bool read_user(void *context, u64 address, u64 *ret)
{
	__u64 value;

	if (address > USER_TOP - sizeof(value) ||
	    bpf_probe_read_user(&value, sizeof(value), (const void *)address))
		return false;
	*ret = value;
	return true;
}

/* ---- interpreted frames ---- */

static long step_runtime(__u32 i, void *context)
{
	struct walk *w = *(struct walk **)context;
	__u32 n = w->stack.nr_kernel + w->stack.nr_user;

	w->result = w->nr_steps++ < STEPS_MAX ?
		    op_runtime_step(&w->runtime, &w->frame, read_user, NULL) : OP_RUNTIME_BAD;
	if (w->result == OP_RUNTIME_SKIPPED)
		return 0;
	if (w->result != OP_RUNTIME_FRAME || w->stack.nr_user + 2 > BPF_USER_MAX ||
	    n + 2 > BPF_ADDRESSES_MAX)
		return 1;
	w->stack.addresses[n] = w->frame.object | BPF_INTERPRETED;
	w->stack.addresses[n + 1] = w->frame.offset | BPF_INTERPRETED |
				    (__u64)w->runtime.number << BPF_RUNTIME_SHIFT;
	w->stack.nr_user += 2;
	return 0;
}

/*
 * Write the interpreted frames, if any, of the C frame w->native. Returns whether there were any;
 * with *@is_full there was no room for all of them.
 */
static __noinline bool write_interpreted(struct walk *w, const struct bpf_image *image,
					 bool *is_full)
{
	struct task_struct *task = (struct task_struct *)bpf_get_current_task_btf();
	__u16 nr_user = w->stack.nr_user;

	if (!w->has_runtime)
		op_runtime_begin(&w->runtime, &image->runtime, w->last.start - w->last.offset,
				 BPF_CORE_READ(task, thread.fsbase), read_user, NULL);
	w->has_runtime = true;
	if (!op_runtime_enter(&w->runtime, &w->native, read_user, NULL))
		return false;
	bpf_loop(STEPS_MAX + 1, step_runtime, &w, 0);
	*is_full = w->result == OP_RUNTIME_FRAME;
	if (w->result != OP_RUNTIME_LEFT && !*is_full)
		w->stack.nr_user = nr_user;
	return w->stack.nr_user != nr_user;
}

/* Before the cursor goes to the caller. */
static __noinline void take_native(struct walk *w, const struct bpf_image *image)
{
	struct op_unwind_cursor *c = &w->cursor;
	struct op_runtime_native *n = &w->native;

	n->sp = c->value[OP_X86_RSP];
	n->place = op_unwind_place(c);
	n->exact = c->exact;
	n->has_registers = op_runtime_needs_registers(&image->runtime) &&
			   op_unwind_register(c, OP_X86_R14, read_user, NULL, &n->r14) ==
			   OP_UNWIND_STEPPED &&
			   op_unwind_register(c, OP_X86_R15, read_user, NULL, &n->r15) ==
			   OP_UNWIND_STEPPED;
}

/* False: no room. */
static __always_inline bool write_native(struct walk *w, __u64 caller)
{
	__u32 n = w->stack.nr_kernel + w->stack.nr_user;

	if (w->stack.nr_user >= BPF_USER_MAX || n >= BPF_ADDRESSES_MAX)
		return false;
	w->stack.addresses[n] = caller;
	w->stack.nr_user++;
	return true;
}

/* Write the cursor's frame, unless it is the sample, and go to its caller. 1: that was the last. */
static long step(__u32 i, void *context)
{
	struct walk *w = *(struct walk **)context;
	struct op_unwind_cursor *c = &w->cursor;
	const struct op_unwind_rule *rule, *before = NULL;
	enum op_unwind_result result;
	struct bpf_image *image;
	__u64 place = op_unwind_place(c), offset, caller;
	bool is_interpreted = false, is_full = false;
	__u32 index;

	w->copy = true;
	if (!find_mapping(w, place))
		return 1;
	index = w->last.image;
	image = bpf_map_lookup_elem(&images, &index);
	if (!image || image->state == BPF_IMAGE_PENDING)
		return 1;
	w->copy = false;
	w->stack.end = OP_STACK_TRUNCATED;
	caller = op_unwind_caller(c);
	w->stack.sp = c->floor;
	offset = w->last.offset + (place - w->last.start);
	rule = rule_at(image, offset);
	if (!rule && image->state == BPF_IMAGE_MADE) {
		w->copy = true;		/* the collector may have a newer table */
		return 1;
	}
	if (!rule && c->exact && offset)
		before = rule_at(image, offset - 1);
	if (image->runtime.number)
		take_native(w, image);
	result = op_unwind_by_rule(rule, before, c, read_user, NULL);
	w->native.cfa = c->floor;
	if (image->runtime.number && result == OP_UNWIND_STEPPED)
		is_interpreted = write_interpreted(w, image, &is_full);
	if (w->is_leaf)
		w->stack.is_leaf_interpreted = is_interpreted;
	if (is_full || (!is_interpreted && !w->is_leaf && !write_native(w, caller)))
		return 1;
	w->is_leaf = false;
	if (result == OP_UNWIND_STEPPED)
		return 0;
	w->stack.end = op_unwind_end(result);
	return 1;
}

#define TAKE_REGISTERS(c, r) do {			\
	(c)->pc = (r)->ip;				\
	(c)->flags = (r)->flags;			\
	(c)->value[OP_X86_RAX] = (r)->ax;		\
	(c)->value[OP_X86_RDX] = (r)->dx;		\
	(c)->value[OP_X86_RCX] = (r)->cx;		\
	(c)->value[OP_X86_RBX] = (r)->bx;		\
	(c)->value[OP_X86_RSI] = (r)->si;		\
	(c)->value[OP_X86_RDI] = (r)->di;		\
	(c)->value[OP_X86_RBP] = (r)->bp;		\
	(c)->value[OP_X86_RSP] = (r)->sp;		\
	(c)->value[OP_X86_R8] = (r)->r8;		\
	(c)->value[OP_X86_R9] = (r)->r9;		\
	(c)->value[OP_X86_R10] = (r)->r10;		\
	(c)->value[OP_X86_R11] = (r)->r11;		\
	(c)->value[OP_X86_R12] = (r)->r12;		\
	(c)->value[OP_X86_R13] = (r)->r13;		\
	(c)->value[OP_X86_R14] = (r)->r14;		\
	(c)->value[OP_X86_R15] = (r)->r15;		\
} while (0)

/* False: the stack is to be copied. */
static __always_inline bool walk_user(struct bpf_perf_event_data *ctx, struct task_struct *task,
				      struct walk *w, bool in_kernel)
{
	struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(task);

	/* during exec the registers may still be the old program's, whose memory is gone */
	if (BPF_CORE_READ_BITFIELD(task, in_execve))
		return false;
	if (!find_process(w, bpf_get_current_pid_tgid() >> 32))
		return false;
	w->last.start = w->last.end = 0;
	w->cursor.machine = OP_UNWIND_X86_64;
	w->cursor.top = USER_TOP;
	w->cursor.pac_mask = 0;
	if (in_kernel) {
		if (regs->cs != USER_CS)
			return false;
		TAKE_REGISTERS(&w->cursor, regs);
		op_unwind_start_entered(&w->cursor);
	} else {
		if (ctx->regs.cs != USER_CS)
			return false;
		TAKE_REGISTERS(&w->cursor, &ctx->regs);
		op_unwind_start(&w->cursor);
	}
	w->is_leaf = !in_kernel;
	w->has_runtime = false;
	w->nr_steps = 0;
	w->stack.serial = w->process.serial;
	w->stack.end = OP_STACK_TRUNCATED;
	w->copy = false;
	bpf_loop(OP_STACK_DEPTH_MAX + 2, step, &w, 0);
	if (w->cursor.by_frame_pointer)
		w->stack.end |= OP_STACK_FRAME_POINTERS;
	/* what the collector frees it may use again: then the process has another serial */
	return !w->copy && is_still_known(w);
}

/* The sample's own address, too, perhaps after a marker. False: there may be more. */
static __always_inline bool list_kernel(struct bpf_perf_event_data *ctx, struct walk *w)
{
	long bytes = bpf_get_stack(ctx, w->stack.addresses, BPF_KERNEL_MAX * sizeof(__u64), 0);

	w->stack.nr_kernel = 0;
	if (bytes < 0)
		return false;
	w->stack.nr_kernel = (__u32)bytes / sizeof(__u64);
	return w->stack.nr_kernel < BPF_KERNEL_MAX - 1;
}

/* 0, or 1: the kernel is to write the sample, with a copy of the stack. */
static __always_inline int write_stack(struct bpf_perf_event_data *ctx, __u64 place)
{
	struct task_struct *task = (struct task_struct *)bpf_get_current_task_btf();
	bool in_kernel = !(ctx->regs.cs & 3);
	__u32 zero = 0, nr, size;
	long err;
	struct walk *w = bpf_map_lookup_elem(&walks, &zero);

	if (!w)
		return 1;
	w->stack.nr_kernel = w->stack.nr_user = 0;
	w->stack.serial = 0;
	w->stack.sp = 0;
	w->stack.is_leaf_interpreted = 0;
	w->stack.end = OP_STACK_NO_USER;
	if (in_kernel && !list_kernel(ctx, w))
		return 1;
	if ((!in_kernel || (!(task->flags & PF_KTHREAD) && task->mm)) &&
	    !walk_user(ctx, task, w, in_kernel))
		return 1;
	nr = w->stack.nr_kernel + w->stack.nr_user;
	if (nr > BPF_ADDRESSES_MAX)
		return 1;
	size = __builtin_offsetof(struct bpf_stack, addresses) -
	       __builtin_offsetof(struct bpf_stack, nr_kernel) + nr * sizeof(__u64);
	err = bpf_perf_event_output(ctx, &outputs, place & BPF_F_INDEX_MASK, &w->stack.nr_kernel,
				    size);
	/* the kernel has counted what finds no room in the ring; all else it can still write */
	return err && err != -ENOSPC;
}

/* ---- samples that never came here ---- */

/*
 * By time, the next one is due when the event's timer expires next; the kernel starts it again
 * after this, for the first multiple of the period from now. Stopping an event moves its multiples.
 * Counters are due after a period, wherever in it they are noticed.
 */
static __always_inline void watch(struct bpf_perf_event_data *ctx, struct bpf_watch *w)
{
	struct perf_event *event = BPF_CORE_READ((struct bpf_perf_event_data_kern *)ctx, event);
	__u64 period = ctx->sample_period, due, late = 0;
	struct bpf_perf_event_value value;

	if (!period)
		return;
	if (w->flags & BPF_WATCH_BY_TIME) {
		if (!bpf_core_field_exists(struct hrtimer, _softexpires))
			return;
		period = period < TIMER_MIN_NS ? TIMER_MIN_NS : period;
		due = BPF_CORE_READ(event, hw.hrtimer._softexpires);
		late = bpf_ktime_get_ns() - due;
		if (w->event == (__u64)event && due > w->expected &&
		    (due - w->expected) % period == 0)
			w->missed += (due - w->expected) / period;
	} else {
		if (bpf_perf_prog_read_value(ctx, &value, sizeof(value)))
			return;
		due = value.counter;
		if (w->event == (__u64)event && due > w->expected)
			w->missed += (due - w->expected + period / 2) / period;
	}
	w->event = (__u64)event;
	w->expected = due + (1 + ((__s64)late > 0 ? late / period : 0)) * period;
}

static __always_inline bool is_excluded(struct bpf_perf_event_data *ctx, __u32 flags)
{
	struct task_struct *task = (struct task_struct *)bpf_get_current_task_btf();

	return flags & (ctx->regs.cs & 3 ? BPF_WATCH_NO_USER : BPF_WATCH_NO_KERNEL) ||
	       (flags & BPF_WATCH_NO_IDLE && task->flags & PF_IDLE);
}

SEC("perf_event")
int walk(struct bpf_perf_event_data *ctx)
{
	/* the link's cookie is the place of this event's output */
	__u64 place = bpf_get_attach_cookie(ctx);
	__u32 index = place;
	struct bpf_watch *w = bpf_map_lookup_elem(&watches, &index);
	int ret = 0;

	if (!w)
		return 1;
	if (!is_excluded(ctx, w->flags))
		ret = write_stack(ctx, place);
	watch(ctx, w);
	return ret;
}
