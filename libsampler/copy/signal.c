// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * signal.c - a signal makes threads copy their own stacks
 *
 * Each request is in a slot, whose word is its state: a stamp, new for each request, and a phase.
 *
 *	sampling thread				handler in the target
 *
 *	fill the request
 *	word = stamp, OPEN	(A)
 *	send the signal, or a timer does	OPEN, and due?
 *						word: OPEN -> CLAIMED, else too late	(B)
 *						copy
 *						word = stamp, DONE	(C), ring the bell
 *	read the answer		(D)
 *
 *	to withdraw: OPEN -> CLOSED, else it is claimed and will be done
 *
 * A releases the request to B, C the answer to D. The side that changes the word from OPEN owns the
 * buffer: a signal that comes later finds nothing to do, and a handler that has begun is waited
 * for. It runs with all signals blocked and cancellation disabled, so that no other handler can
 * jump out of it and the thread cannot end in it: hooks may call read() and the like, which are
 * cancellation points. [SM-31]
 *
 * The kernel merges pending signals of a kind, so each answers all requests to its thread. They are
 * found in a table of thread ids. Slots are used again but never freed, so the handler may look at
 * any of them.
 *
 * The handler uses neither the heap nor locks, and no thread-local variable but errno.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>
#include "libsampler/copy/copy.h"
#include "libsampler/copy/registers.h"
#include "libutil/clock.h"

/* si_code of our signals only. */
#define OUR_CODE	(-0x534d)

#define SLOTS_MAX	16384
/* A stack of unknown bounds is read up to the thread's own data if that is so near. */
#define NEAR		(256 << 10)
/* Bytes at the end of an alternate stack in which the frame of the first signal is looked for. */
#define FRAME_MAX	(32 << 10)

enum { CLOSED, OPEN, CLAIMED, DONE, PHASES };

/* The handler reads the first @nr_slots; only the sampling thread changes them. */
static _Atomic pid_t tids[SLOTS_MAX];
static _Atomic(struct copy_slot *) slots[SLOTS_MAX];
static atomic_uint nr_slots;
static struct copy_slot *free_slots;
static uint64_t last_serial;

static pthread_mutex_t install_lock = PTHREAD_MUTEX_INITIALIZER;
static int our_signal;
static struct sigaction older;
static atomic_flag older_was_called = ATOMIC_FLAG_INIT;	/* for SA_RESETHAND */

/* --- in the target --- */

IN_HANDLER static bool is_in(const struct copy_range *range, uintptr_t sp)
{
	return sp >= range->low && sp < range->high;
}

IN_HANDLER size_t copy_part(const struct copy_range *range, uintptr_t sp, size_t room,
			    uintptr_t *ret_from, bool *is_cut)
{
	uintptr_t from = sp > range->low + RED_ZONE ? sp - RED_ZONE : range->low;
	size_t used = range->high - from, offset = from % 16;
	size_t fits = room > offset ? room - offset : 0;

	*ret_from = from;
	if (range->most && used > range->most)
		used = range->most;
	*is_cut = used > fits;
	return *is_cut ? fits / sizeof(uintptr_t) * sizeof(uintptr_t) : used;
}

/*
 * Plain loads. The instruction needs half the time of the loop, because lines of the copy that are
 * overwritten whole are not read first; volatile because sanitizers replace memcpy().
 */
IN_HANDLER static void copy_words(unsigned char *to, uintptr_t from, size_t nr)
{
#ifdef __x86_64__
	__asm__ volatile("rep movsq" : "+D"(to), "+S"(from), "+c"(nr) : : "memory");
#else
	for (size_t i = 0; i < nr; i++)
		((uintptr_t *)to)[i] = ((const volatile uintptr_t *)from)[i];
#endif
}

IN_HANDLER static void copy_loads(unsigned char *to, uintptr_t from, size_t n)
{
	const volatile unsigned char *bytes = (const volatile unsigned char *)from;
	size_t i = 0, nr;

	for (; i < n && (from + i) % sizeof(uintptr_t); i++)
		to[i] = bytes[i];
	nr = (n - i) / sizeof(uintptr_t);
	copy_words(to + i, from + i, nr);
	for (i += nr * sizeof(uintptr_t); i < n; i++)
		to[i] = bytes[i];
}

/* The part of a stack that goes to @to; *end: how much of it was copied. */
struct part {
	unsigned char *to;
	size_t room;
	uintptr_t low, high;
};

IN_HANDLER static enum copy_outcome copy_own(const struct copy_range *range, uintptr_t sp,
					     struct part *p)
{
	bool is_cut;
	size_t used = copy_part(range, sp, p->room, &p->low, &is_cut);

	copy_loads(p->to + p->low % 16, p->low, used);
	p->high = p->low + used;
	return is_cut ? COPY_CUT : COPY_DONE;
}

/* Through the kernel: the mapping may be gone or smaller since it was found. */
IN_HANDLER static enum copy_outcome copy_other(pid_t pid, const struct copy_range *range,
					       uintptr_t sp, struct part *p)
{
	bool is_cut;
	size_t used = copy_part(range, sp, p->room, &p->low, &is_cut);
	struct iovec to = { p->to + p->low % 16, used }, from = { (void *)p->low, used };
	long n = used ? syscall(SYS_process_vm_readv, pid, &to, 1ul, &from, 1ul, 0ul) : 0;

	p->high = n > 0 ? p->low + n : p->low;
	if (used && n <= 0)
		return !n || errno == EFAULT ? COPY_ELSEWHERE : COPY_REFUSED;
	return is_cut ? COPY_CUT : COPY_DONE;
}

/* Up to the thread's own data, if that lies above in the same mapping. */
IN_HANDLER static enum copy_outcome copy_near(pid_t pid, uintptr_t thread_pointer, uintptr_t sp,
					      struct part *p)
{
	const struct copy_range range = { sp > RED_ZONE ? sp - RED_ZONE : sp, thread_pointer, 0 };
	enum copy_outcome outcome = COPY_ELSEWHERE;

	if (thread_pointer > sp && thread_pointer - sp < NEAR)
		outcome = copy_other(pid, &range, sp, p);
	if (outcome == COPY_DONE && p->high != thread_pointer)
		outcome = COPY_ELSEWHERE;
	if (outcome == COPY_ELSEWHERE)
		p->low = p->high = 0;
	return outcome;
}

IN_HANDLER static enum copy_outcome copy_known(const struct copy_slot *slot, uintptr_t sp,
					       struct part *p)
{
	const struct copy_request *r = &slot->request;

	if (is_in(&r->own, sp))
		return copy_own(&r->own, sp, p);
	if (is_in(&r->other, sp))
		return copy_other(slot->pid, &r->other, sp, p);
	return copy_near(slot->pid, slot->answer.thread_pointer, sp, p);
}

/*
 * Where the first of the signals that run on the alternate stack has interrupted its own: the
 * kernel has stored that context at the end of the alternate stack, with the stack's description in
 * it. 0: not found.
 */
IN_HANDLER static uintptr_t interrupted_sp(const stack_t *stack, const struct copy_range *range,
					   uintptr_t sp)
{
	const size_t size = offsetof(ucontext_t, uc_mcontext) + sizeof(mcontext_t);
	const uintptr_t at = offsetof(ucontext_t, uc_stack);
	uintptr_t first = (range->high - size) / 8 * 8;

	for (uintptr_t c = first; c >= sp && range->high - c < FRAME_MAX; c -= 8) {
		const volatile stack_t *s = (const volatile stack_t *)(c + at);
		uintptr_t found;

		if (s->ss_sp != stack->ss_sp || s->ss_size != stack->ss_size)
			continue;
		found = copy_context_sp((const void *)c);
		if (found && !is_in(range, found))
			return found;
	}
	return 0;
}

/* Both the alternate stack and what is below it. False: the thread is not on it. */
IN_HANDLER static bool copy_alternate(struct copy_slot *slot, const ucontext_t *u)
{
	struct copy_answer *a = &slot->answer;
	const struct copy_range range = { (uintptr_t)u->uc_stack.ss_sp,
					  (uintptr_t)u->uc_stack.ss_sp + u->uc_stack.ss_size, 0 };
	struct part p = { slot->request.to, slot->request.room, 0, 0 };
	uintptr_t outer;
	size_t used;

	if (!u->uc_stack.ss_size || !is_in(&range, a->regs.sp))
		return false;
	a->outcome = copy_own(&range, a->regs.sp, &p);
	a->low = p.low;
	a->high = p.high;
	outer = interrupted_sp(&u->uc_stack, &range, a->regs.sp);
	used = copy_outer_offset(a);
	if (!outer || a->outcome == COPY_CUT || used >= p.room)
		return true;
	p = (struct part){ p.to + used, p.room - used, 0, 0 };
	a->outcome = copy_known(slot, outer, &p);
	if (a->outcome == COPY_ELSEWHERE)
		a->unknown_sp = outer;
	a->outer_low = p.low;
	a->outer_high = p.high;
	return true;
}

IN_HANDLER static uint64_t time_of(clockid_t clock)
{
	struct timespec now = { 0, 0 };

	clock_gettime(clock, &now);
	return now.tv_sec * 1000000000ull + now.tv_nsec;
}

IN_HANDLER static void answer(struct copy_slot *slot, const ucontext_t *ucontext, uint64_t cpu_ns)
{
	const struct copy_request *r = &slot->request;
	struct copy_answer *a = &slot->answer;
	struct part p = { r->to, r->room, 0, 0 };

	a->time_ns = time_of(CLOCK_MONOTONIC);
	a->cpu_ns = cpu_ns;
	a->low = a->high = a->outer_low = a->outer_high = a->unknown_sp = 0;
	a->thread_pointer = copy_thread_pointer();
	copy_registers(ucontext, &a->regs);
	if (!copy_alternate(slot, ucontext)) {
		a->outcome = copy_known(slot, a->regs.sp, &p);
		a->low = p.low;
		a->high = p.high;
		if (a->outcome == COPY_ELSEWHERE)
			a->unknown_sp = a->regs.sp;
	}
	/* once for each sample */
	for (size_t i = 0; i < r->nr_hooks && (a->outcome != COPY_ELSEWHERE || r->is_last); i++)
		r->hooks[i].run(r->hooks[i].context);
	a->still_ns = time_of(CLOCK_THREAD_CPUTIME_ID) - cpu_ns;
}

IN_HANDLER static bool serve_slot(struct copy_slot *slot, const ucontext_t *ucontext,
				  uint64_t cpu_ns)
{
	uint32_t word = atomic_load_explicit(&slot->word, memory_order_acquire);

	if (word % PHASES != OPEN || cpu_ns < atomic_load(&slot->cpu_due))
		return false;
	/* B, pairs with A in copy_slot_open() */
	if (!atomic_compare_exchange_strong(&slot->word, &word, word - OPEN + CLAIMED))
		return false;
	atomic_store(&slot->is_served, true);
	answer(slot, ucontext, cpu_ns);
	/* C, pairs with D in copy_slot_is_answered() */
	atomic_store_explicit(&slot->word, word - OPEN + DONE, memory_order_release);
	return true;
}

IN_HANDLER static void serve(const ucontext_t *ucontext)
{
	uint64_t cpu_ns = time_of(CLOCK_THREAD_CPUTIME_ID);
	pid_t tid = (pid_t)syscall(SYS_gettid);
	unsigned int nr = atomic_load(&nr_slots);
	bool has_answered = false;
	int cancel_state;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
	for (unsigned int i = 0; i < nr; i++)
		if (atomic_load_explicit(&tids[i], memory_order_relaxed) == tid)
			has_answered |= serve_slot(atomic_load(&slots[i]), ucontext, cpu_ns);
	if (has_answered)
		copy_bell_answer();
	for (unsigned int i = 0; i < nr && has_answered; i++)
		if (atomic_load_explicit(&tids[i], memory_order_relaxed) == tid)
			atomic_store(&atomic_load(&slots[i])->is_served, false);
	/* last: a thread with asynchronous cancellation that was canceled meanwhile ends here */
	pthread_setcancelstate(cancel_state, NULL);
}

/* What happens without our handler: most signals end a program that does not handle them. */
IN_HANDLER static void default_action(int signal)
{
	struct sigaction action = { .sa_handler = SIG_DFL };

	if (signal == SIGURG || signal == SIGCHLD || signal == SIGWINCH || signal == SIGCONT)
		return;
	sigaction(signal, &action, NULL);
	syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), signal);
}

/* Call the older handler like the kernel, with its signals blocked. */
IN_HANDLER static void call_older(int signal, siginfo_t *info, void *ucontext)
{
	const uint64_t *interrupted = (const uint64_t *)&((ucontext_t *)ucontext)->uc_sigmask;
	uint64_t mask = *interrupted | *(const uint64_t *)&older.sa_mask;

	if (!(older.sa_flags & SA_SIGINFO) && older.sa_handler == SIG_IGN)
		return;
	if (!(older.sa_flags & SA_NODEFER))
		mask |= 1ull << (signal - 1);
	if ((!(older.sa_flags & SA_SIGINFO) && older.sa_handler == SIG_DFL) ||
	    (older.sa_flags & SA_RESETHAND && atomic_flag_test_and_set(&older_was_called))) {
		default_action(signal);
		return;
	}
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &mask, NULL, sizeof(mask));
	if (older.sa_flags & SA_SIGINFO)
		older.sa_sigaction(signal, info, ucontext);
	else
		older.sa_handler(signal);
}

/* Its value is a slot, which a program's own timer does not know. */
IN_HANDLER static bool is_our_timer(const siginfo_t *info)
{
	const struct copy_slot *slot = info->si_value.sival_ptr;
	unsigned int nr = atomic_load(&nr_slots);

	if (info->si_code != SI_TIMER)
		return false;
	for (unsigned int i = 0; i < nr; i++)
		if (atomic_load(&slots[i]) == slot)
			return true;
	return false;
}

/* The signal that arrives while a request is open may be somebody else's: serve both then. */
IN_HANDLER static void handle(int signal, siginfo_t *info, void *ucontext)
{
	int saved = errno;

	serve(ucontext);
	errno = saved;
	if (info->si_code != OUR_CODE && !is_our_timer(info))
		call_older(signal, info, ucontext);
}

/* --- on the sampling thread --- */

static int install(int signal)
{
	struct sigaction action = { .sa_sigaction = handle,
				    .sa_flags = SA_ONSTACK | SA_SIGINFO | SA_RESTART };

	if (our_signal)
		return our_signal == signal ? 0 : -EBUSY;
	/* sigfillset() leaves out the C library's own signal, which cancels a thread at once */
	memset(&action.sa_mask, 0xff, sizeof(action.sa_mask));
	/* before: the handler may be called at once */
	if (sigaction(signal, NULL, &older) || sigaction(signal, &action, &older))
		return -errno;
	our_signal = signal;
	return 0;
}

int copy_install_handler(int signal)
{
	int err;

	pthread_mutex_lock(&install_lock);
	err = install(signal);
	pthread_mutex_unlock(&install_lock);
	return err;
}

int copy_signal(void)
{
	return our_signal;
}

/* All slots are free: the requests and timers in them are the parent's. */
void copy_after_fork(void)
{
	unsigned int nr = atomic_load(&nr_slots);

	pthread_mutex_init(&install_lock, NULL);
	free_slots = NULL;
	for (unsigned int i = 0; i < nr; i++) {
		struct copy_slot *slot = atomic_load(&slots[i]);

		atomic_store(&tids[i], 0);
		atomic_store(&slot->word, CLOSED);
		slot->has_timer = false;
		slot->serial = 0;
		slot->next = free_slots;
		free_slots = slot;
	}
}

/* The program may have installed its own handler, or the default action, since. */
bool copy_signal_is_ours(void)
{
	struct sigaction now;

	return our_signal && !sigaction(our_signal, NULL, &now) && now.sa_flags & SA_SIGINFO &&
	       now.sa_sigaction == handle;
}

uint64_t copy_clock(void)
{
	return now_ns();
}

/* --- slots --- */

static struct copy_slot *add_slot(void)
{
	unsigned int nr = atomic_load(&nr_slots);
	struct copy_slot *slot = nr < SLOTS_MAX ? calloc(1, sizeof(*slot)) : NULL;

	if (!slot)
		return NULL;
	slot->index = nr;
	atomic_store(&slots[nr], slot);
	atomic_store(&nr_slots, nr + 1);
	return slot;
}

struct copy_slot *copy_slot_new(pid_t tid)
{
	struct copy_slot *slot = free_slots;

	if (slot)
		free_slots = slot->next;
	else
		slot = add_slot();
	if (!slot)
		return NULL;
	slot->serial = ++last_serial;
	slot->pid = getpid();
	slot->tid = tid;
	slot->has_timer = false;
	atomic_store(&slot->is_served, false);
	atomic_store(&tids[slot->index], tid);
	return slot;
}

static void stop_timer(struct copy_slot *slot)
{
	if (slot->has_timer)
		syscall(SYS_timer_delete, slot->timer);
	slot->has_timer = false;
}

void copy_slot_free(struct copy_slot *slot)
{
	stop_timer(slot);
	copy_slot_withdraw(slot);
	atomic_store(&tids[slot->index], 0);
	slot->next = free_slots;
	free_slots = slot;
}

void copy_slot_open(struct copy_slot *slot, uint64_t cpu_due)
{
	uint32_t word = ++slot->stamp * PHASES + OPEN;

	atomic_store(&slot->cpu_due, cpu_due);
	/* A, pairs with B in serve_slot() */
	atomic_store_explicit(&slot->word, word, memory_order_release);
}

bool copy_slot_is_answered(const struct copy_slot *slot)
{
	/* D, pairs with C in serve_slot() */
	return atomic_load_explicit(&slot->word, memory_order_acquire) % PHASES == DONE;
}

bool copy_slot_withdraw(struct copy_slot *slot)
{
	uint32_t word = atomic_load_explicit(&slot->word, memory_order_acquire);

	while (word % PHASES == OPEN)
		if (atomic_compare_exchange_weak(&slot->word, &word, word - OPEN + CLOSED))
			return true;
	while (word % PHASES == CLAIMED) {
		uint32_t turn = copy_bell_turn();

		word = atomic_load_explicit(&slot->word, memory_order_acquire);
		if (word % PHASES == CLAIMED)
			copy_bell_wait(turn, copy_clock() + 10000000);
	}
	return word % PHASES != DONE;
}

static int send_signal(pid_t tid)
{
	siginfo_t info;

	memset(&info, 0, sizeof(info));
	info.si_signo = our_signal;
	info.si_code = OUR_CODE;
	info.si_pid = getpid();
	info.si_uid = getuid();
	return syscall(SYS_rt_tgsigqueueinfo, getpid(), tid, our_signal, &info) ? -errno : 0;
}

int copy_slot_ask(struct copy_slot *slot)
{
	int err;

	if (!copy_signal_is_ours())
		return -EBUSY;
	copy_slot_open(slot, 0);
	err = send_signal(slot->tid);
	/* if it was not sent, an earlier one may still have arrived */
	return err && copy_slot_withdraw(slot) ? err : 0;
}

int copy_slot_start_timer(struct copy_slot *slot, uint64_t first, uint64_t interval)
{
	struct itimerspec when = {
		.it_value = { (time_t)(first / NS_PER_SECOND), (long)(first % NS_PER_SECOND) },
		.it_interval = { (time_t)(interval / NS_PER_SECOND),
				 (long)(interval % NS_PER_SECOND) },
	};
	struct sigevent event;

	memset(&event, 0, sizeof(event));
	event.sigev_notify = SIGEV_THREAD_ID;
	event.sigev_signo = our_signal;
	event.sigev_value.sival_ptr = slot;
	event._sigev_un._tid = slot->tid;
	if (!slot->has_timer &&
	    syscall(SYS_timer_create, copy_cpu_clock(slot->tid), &event, &slot->timer))
		return -errno;
	slot->has_timer = true;
	if (!syscall(SYS_timer_settime, slot->timer, TIMER_ABSTIME, &when, NULL))
		return 0;
	stop_timer(slot);
	return -errno;
}
