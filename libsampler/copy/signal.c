// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * signal.c - a signal makes a thread copy its own stack
 *
 * There is one request, and one word with its state: a stamp, new for each request, and a phase.
 *
 *	sampling thread				handler in the target
 *
 *	fill the request
 *	word = stamp, OPEN	(A)
 *	send the signal
 *	wait until it is neither		OPEN and my tid?
 *	OPEN nor CLAIMED			word: OPEN -> CLAIMED, else too late	(B)
 *						copy
 *						word = stamp, DONE	(C), wake
 *	read the answer		(D)
 *
 *	after 50 ms: OPEN -> CLOSED, else it is claimed and will be done
 *
 * A releases the request to B, C the answer to D. The side that changes the word from OPEN owns the
 * buffer: a signal after the timeout finds nothing to do, and a handler that has begun is waited
 * for. It runs with all signals blocked and cancellation disabled, so that no other handler can
 * jump out of it and the thread cannot end in it: hooks may call read() and the like, which are
 * cancellation points. [SM-31]
 *
 * The handler uses neither the heap nor locks, and no thread-local variable but errno.
 */
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
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

enum { CLOSED, OPEN, CLAIMED, DONE, PHASES };

static struct {
	_Atomic uint32_t word;
	atomic_int tid;			/* read before the handler knows whose request it is */
	struct copy_request request;
	struct copy_answer answer;
	pid_t pid;
	uint32_t stamp;
} slot;

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
			    uintptr_t *ret_from)
{
	uintptr_t from = sp > range->low + RED_ZONE ? sp - RED_ZONE : range->low;
	size_t used = range->high - from, offset = from % 16;
	size_t fits = room > offset ? room - offset : 0;

	*ret_from = from;
	if (!range->most)
		return used <= fits ? used : 0;
	if (used > range->most)
		used = range->most;
	return used < fits ? used : fits;
}

/* Plain loads, word by word; volatile because sanitizers replace memcpy(). */
IN_HANDLER static void copy_loads(unsigned char *to, uintptr_t from, size_t n)
{
	const volatile unsigned char *bytes = (const volatile unsigned char *)from;
	size_t i = 0;

	for (; i < n && (from + i) % sizeof(uintptr_t); i++)
		to[i] = bytes[i];
	for (; i + sizeof(uintptr_t) <= n; i += sizeof(uintptr_t))
		*(uintptr_t *)(to + i) = *(const volatile uintptr_t *)(bytes + i);
	for (; i < n; i++)
		to[i] = bytes[i];
}

IN_HANDLER static void copy_own(struct copy_answer *a, uintptr_t sp)
{
	const struct copy_request *r = &slot.request;
	uintptr_t from;
	size_t used = copy_part(&r->own, sp, r->room, &from);

	a->outcome = used ? COPY_DONE : COPY_TOO_BIG;
	if (!used)
		return;
	copy_loads(r->to + from % 16, from, used);
	a->low = from;
	a->high = from + used;
}

/* Through the kernel: the mapping may be gone or smaller since it was found. */
IN_HANDLER static void copy_other(struct copy_answer *a, uintptr_t sp)
{
	const struct copy_request *r = &slot.request;
	uintptr_t low;
	size_t used = copy_part(&r->other, sp, r->room, &low);
	struct iovec to = { r->to + low % 16, used }, from = { (void *)low, used };
	long n;

	a->outcome = COPY_TOO_BIG;
	if (!used)
		return;
	n = syscall(SYS_process_vm_readv, slot.pid, &to, 1ul, &from, 1ul, 0ul);
	a->outcome = n > 0 ? COPY_DONE : !n || errno == EFAULT ? COPY_ELSEWHERE : COPY_REFUSED;
	if (n <= 0)
		return;
	a->low = low;
	a->high = low + n;
}

IN_HANDLER static void answer(const void *ucontext)
{
	const struct copy_request *r = &slot.request;
	struct copy_answer *a = &slot.answer;
	struct timespec now = { 0, 0 };
	bool is_own, is_known;

	clock_gettime(CLOCK_MONOTONIC, &now);
	a->time_ns = now.tv_sec * 1000000000ull + now.tv_nsec;
	a->low = a->high = 0;
	a->outcome = COPY_ELSEWHERE;
	a->thread_pointer = copy_thread_pointer();
	copy_registers(ucontext, &a->regs);
	is_own = is_in(&r->own, a->regs.sp);
	is_known = is_own || is_in(&r->other, a->regs.sp);
	for (size_t i = 0; i < r->nr_hooks && (is_known || r->is_last); i++)
		r->hooks[i].run(r->hooks[i].context);
	if (is_own)
		copy_own(a, a->regs.sp);
	else if (is_known)
		copy_other(a, a->regs.sp);
}

IN_HANDLER static bool serve(const void *ucontext)
{
	uint32_t word = atomic_load_explicit(&slot.word, memory_order_acquire);
	int cancel_state;

	if (word % PHASES != OPEN || atomic_load(&slot.tid) != syscall(SYS_gettid))
		return false;
	/* B, pairs with A in open_request() */
	if (!atomic_compare_exchange_strong(&slot.word, &word, word - OPEN + CLAIMED))
		return false;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
	answer(ucontext);
	/* C, pairs with D in wait_for_answer() */
	atomic_store_explicit(&slot.word, word - OPEN + DONE, memory_order_release);
	syscall(SYS_futex, &slot.word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
	/* last: a thread with asynchronous cancellation that was canceled meanwhile ends here */
	pthread_setcancelstate(cancel_state, NULL);
	return true;
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

/*
 * The kernel merges two pending signals of a kind: the one that arrives while a request is open may
 * be somebody else's. Serve both then.
 */
IN_HANDLER static void handle(int signal, siginfo_t *info, void *ucontext)
{
	int saved = errno;

	serve(ucontext);
	errno = saved;
	if (info->si_code != OUR_CODE)
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

void copy_after_fork(void)
{
	pthread_mutex_init(&install_lock, NULL);
	atomic_store(&slot.word, CLOSED);
}

/* The program may have installed its own handler, or the default action, since. */
static bool is_still_ours(void)
{
	struct sigaction now;

	return our_signal && !sigaction(our_signal, NULL, &now) && now.sa_flags & SA_SIGINFO &&
	       now.sa_sigaction == handle;
}

uint64_t copy_clock(void)
{
	return now_ns();
}

static uint32_t open_request(const struct copy_request *request)
{
	uint32_t word = ++slot.stamp * PHASES + OPEN;

	slot.request = *request;
	slot.pid = getpid();
	atomic_store(&slot.tid, request->tid);
	/* A, pairs with B in serve() */
	atomic_store_explicit(&slot.word, word, memory_order_release);
	return word;
}

/* False: already claimed, so it will be answered. */
static bool close_request(uint32_t word)
{
	return atomic_compare_exchange_strong(&slot.word, &word, word - OPEN + CLOSED);
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

static int wait_for_answer(uint32_t word)
{
	uint64_t end = copy_clock() + SAMPLING_COPY_TIMEOUT_NS;
	struct timespec until = { end / 1000000000, end % 1000000000 };
	struct timespec *timeout = &until;
	uint32_t now;

	/* D, pairs with C in serve() */
	while ((now = atomic_load_explicit(&slot.word, memory_order_acquire)) % PHASES != DONE) {
		long err = syscall(SYS_futex, &slot.word, FUTEX_WAIT_BITSET_PRIVATE, now, timeout,
				   NULL, FUTEX_BITSET_MATCH_ANY);

		if (!err || errno != ETIMEDOUT)
			continue;
		if (close_request(word))
			return -ETIMEDOUT;
		timeout = NULL;
	}
	return 0;
}

int copy_ask(const struct copy_request *request, struct copy_answer *ret)
{
	uint32_t word;
	int err;

	if (!is_still_ours())
		return -EBUSY;
	word = open_request(request);
	err = send_signal(request->tid);
	/* if it was not sent, an earlier one may still have arrived */
	if (err && close_request(word))
		return err;
	err = wait_for_answer(word);
	if (!err)
		*ret = slot.answer;
	return err;
}
