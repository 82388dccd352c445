// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * filter.c - a list of allowed system calls, as a filter for seccomp
 *
 * Some are allowed for certain arguments only. Numbers that an architecture does not have are left
 * out. Deliberately missing: what starts programs or processes, signals or traces others, opens
 * sockets, and changes modes, owners and times, which Landlock does not check.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <termios.h>
#include <unistd.h>
#include "libutil/sandbox/sandbox.h"

#if defined(__x86_64__)
#define ARCHITECTURE	AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE	AUDIT_ARCH_AARCH64
#elif defined(__i386__)
#define ARCHITECTURE	AUDIT_ARCH_I386
#endif

#ifdef ARCHITECTURE

/* What any code needs, also without opening anything. */
static const int computing[] = {
	SYS_read, SYS_write, SYS_readv, SYS_writev, SYS_pread64, SYS_pwrite64, SYS_lseek, SYS_dup,
	SYS_close, SYS_fstat, SYS_ftruncate, SYS_fallocate, SYS_mmap, SYS_munmap, SYS_mremap,
	SYS_mprotect, SYS_madvise, SYS_brk, SYS_futex, SYS_getrandom, SYS_getpid, SYS_gettid,
	SYS_sched_yield, SYS_sysinfo, SYS_clock_gettime, SYS_clock_getres, SYS_getrusage,
	SYS_sigaltstack, SYS_rt_sigreturn, SYS_restart_syscall, SYS_exit, SYS_exit_group,
#ifdef SYS_newfstatat
	SYS_newfstatat,			/* fstat() since glibc 2.33 */
#endif
#ifdef __i386__			/* of 64-bit offsets and times */
	SYS_fstatat64, SYS_fstat64, SYS__llseek, SYS_ftruncate64, SYS_mmap2, SYS_futex_time64,
	SYS_clock_gettime64, SYS_clock_getres_time64, SYS_sigreturn,
#endif
};

static const int reporting[] = {
	SYS_statx, SYS_statfs, SYS_fstatfs, SYS_readlinkat, SYS_faccessat, SYS_getdents64,
	SYS_getcwd, SYS_fadvise64, SYS_flock, SYS_fsync, SYS_fdatasync, SYS_msync, SYS_mincore,
	SYS_dup3, SYS_pipe2, SYS_ppoll, SYS_pselect6, SYS_epoll_create1, SYS_epoll_ctl,
	SYS_epoll_pwait, SYS_eventfd2, SYS_memfd_create, SYS_copy_file_range, SYS_sendfile,
	SYS_preadv, SYS_pwritev, SYS_set_robust_list, SYS_set_tid_address, SYS_sched_getaffinity,
	SYS_rt_sigaction, SYS_rt_sigprocmask, SYS_rt_sigtimedwait, SYS_nanosleep,
	SYS_clock_nanosleep, SYS_setitimer, SYS_gettimeofday, SYS_times, SYS_uname, SYS_umask,
	SYS_wait4, SYS_waitid, SYS_getppid, SYS_getuid, SYS_geteuid, SYS_getgid, SYS_getegid,
	SYS_getgroups, SYS_capget, SYS_membarrier,
	/* of sockets that are open already */
	SYS_accept4, SYS_recvfrom, SYS_recvmsg, SYS_sendto, SYS_sendmsg, SYS_shutdown,
	SYS_getsockopt, SYS_setsockopt, SYS_getsockname, SYS_getpeername,
#ifdef SYS_rseq
	SYS_rseq,
#endif
#ifdef SYS_faccessat2
	SYS_faccessat2,
#endif
#ifdef SYS_poll			/* the older ones */
	SYS_stat, SYS_lstat, SYS_access, SYS_readlink, SYS_poll, SYS_select, SYS_dup2, SYS_pipe,
	SYS_epoll_wait, SYS_alarm, SYS_time, SYS_getrlimit,
#endif
#ifdef SYS_accept
	SYS_accept,
#endif
#ifdef __i386__
	SYS_stat64, SYS_lstat64, SYS_statfs64, SYS_fstatfs64, SYS_fadvise64_64, SYS_sendfile64,
	SYS__newselect, SYS_pselect6_time64, SYS_ppoll_time64, SYS_rt_sigtimedwait_time64,
	SYS_clock_nanosleep_time64, SYS_ugetrlimit, SYS_getuid32, SYS_geteuid32, SYS_getgid32,
	SYS_getegid32, SYS_getgroups32,
#endif
};

/* Landlock checks what they change. */
static const int writing[] = {
	SYS_mkdirat, SYS_unlinkat, SYS_renameat, SYS_renameat2,
#ifdef SYS_rename
	SYS_mkdir, SYS_rmdir, SYS_unlink, SYS_rename,
#endif
};

static const int connecting[] = {
	SYS_socket, SYS_socketpair, SYS_connect, SYS_bind, SYS_listen, SYS_sendmmsg, SYS_recvmmsg,
};

/* F_SETOWN and F_SETSIG, for example, would send signals to any process. */
static const uint32_t fcntl_commands[] = {
	F_DUPFD, F_DUPFD_CLOEXEC, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_GETLK, F_SETLK, F_SETLKW,
	F_OFD_GETLK, F_OFD_SETLK, F_OFD_SETLKW, F_ADD_SEALS, F_GET_SEALS,
};

/* TIOCSTI, for example, would type into the shell that we were started from. */
static const uint32_t ioctl_commands[] = { TCGETS, TIOCGWINSZ, FIONREAD, FIONBIO };

#define FILTER_MAX	512

struct filter {
	struct sock_filter code[FILTER_MAX];
	unsigned short nr;
};

static void put(struct filter *f, unsigned short code, uint32_t k, uint8_t yes, uint8_t no)
{
	if (f->nr < FILTER_MAX)		/* sandbox_filter() refuses a full one */
		f->code[f->nr++] = (struct sock_filter){ code, yes, no, k };
}

#define LOAD	(BPF_LD | BPF_W | BPF_ABS)
#define EQUAL	(BPF_JMP | BPF_JEQ | BPF_K)
#define ANY_OF	(BPF_JMP | BPF_JSET | BPF_K)
#define RETURN	(BPF_RET | BPF_K)
#define REFUSE	(SECCOMP_RET_ERRNO | EPERM)

/* The lower half of an argument, which is all of an int. All architectures are little-endian. */
static uint32_t argument(unsigned int n)
{
	return (uint32_t)(offsetof(struct seccomp_data, args) + 8 * n);
}

static void answer(struct filter *f, int nr, uint32_t action)
{
	put(f, EQUAL, (uint32_t)nr, 0, 1);
	put(f, RETURN, action, 0, 0);
}

static void allow_all(struct filter *f, const int *nr, size_t count)
{
	for (size_t i = 0; i < count; i++)
		answer(f, nr[i], SECCOMP_RET_ALLOW);
}

/* If argument @n is one of @values. */
static void allow_values(struct filter *f, int nr, unsigned int n, const uint32_t *values,
			 size_t count)
{
	put(f, EQUAL, (uint32_t)nr, 0, (uint8_t)(2 * count + 2));
	put(f, LOAD, argument(n), 0, 0);
	for (size_t i = 0; i < count; i++)
		answer(f, (int)values[i], SECCOMP_RET_ALLOW);
	put(f, RETURN, REFUSE, 0, 0);
}

/* If argument @n has any of @bits, or @none of them. */
static void allow_bits(struct filter *f, int nr, unsigned int n, uint32_t bits, bool none)
{
	put(f, EQUAL, (uint32_t)nr, 0, 4);
	put(f, LOAD, argument(n), 0, 0);
	put(f, ANY_OF, bits, 0, 1);
	put(f, RETURN, none ? REFUSE : SECCOMP_RET_ALLOW, 0, 0);
	put(f, RETURN, none ? SECCOMP_RET_ALLOW : REFUSE, 0, 0);
}

/* The end of a rule, six instructions: whether argument @n, a pointer, is NULL. */
static void allow_if_null(struct filter *f, unsigned int n)
{
	put(f, LOAD, argument(n), 0, 0);
	put(f, EQUAL, 0, 0, 3);
	put(f, LOAD, argument(n) + 4, 0, 0);
	put(f, EQUAL, 0, 0, 1);
	put(f, RETURN, SECCOMP_RET_ALLOW, 0, 0);
	put(f, RETURN, REFUSE, 0, 0);
}

#ifdef __i386__				/* what the C library calls fcntl() and utimensat() with */
#define NR_FCNTL	SYS_fcntl64
#define NR_UTIMENSAT	SYS_utimensat_time64
#else
#define NR_FCNTL	SYS_fcntl
#define NR_UTIMENSAT	SYS_utimensat
#endif

/* utimensat(FD, NULL, ...): of a file that is open. */
static void allow_own_times(struct filter *f)
{
	put(f, EQUAL, NR_UTIMENSAT, 0, 6);
	allow_if_null(f, 1);
}

/* prlimit64(0, ..., NULL, ...): its own limits, read only. */
static void allow_own_limits(struct filter *f)
{
	put(f, EQUAL, SYS_prlimit64, 0, 8);
	put(f, LOAD, argument(0), 0, 0);
	put(f, EQUAL, 0, 0, 5);
	allow_if_null(f, 2);
}

#define COUNT(array)	(sizeof(array) / sizeof(*(array)))

static void allow_reporting(struct filter *f, const struct sandbox *s, bool has_landlock)
{
	allow_all(f, reporting, COUNT(reporting));
	if (has_landlock || geteuid() || s->must_write) {
		allow_all(f, writing, COUNT(writing));
		answer(f, SYS_openat, SECCOMP_RET_ALLOW);
	} else {
		allow_bits(f, SYS_openat, 2, O_WRONLY | O_RDWR | O_CREAT | O_TRUNC, true);
	}
	if (s->network)
		allow_all(f, connecting, COUNT(connecting));
	if (s->times)
		allow_own_times(f);
	allow_bits(f, SYS_clone, 0, CLONE_THREAD, false);
	allow_values(f, SYS_ioctl, 1, ioctl_commands, COUNT(ioctl_commands));
	allow_own_limits(f);
	/* their flags are in memory; the C library uses clone() and openat() then */
	answer(f, SYS_clone3, SECCOMP_RET_ERRNO | ENOSYS);
	answer(f, SYS_openat2, SECCOMP_RET_ERRNO | ENOSYS);
}

int sandbox_filter(const struct sandbox *s, bool has_landlock)
{
	struct filter f = { .nr = 0 };
	struct sock_fprog program;
	const uint32_t self = (uint32_t)getpid();

	put(&f, LOAD, offsetof(struct seccomp_data, arch), 0, 0);
	put(&f, EQUAL, ARCHITECTURE, 1, 0);
	put(&f, RETURN, SECCOMP_RET_KILL_PROCESS, 0, 0);
	put(&f, LOAD, offsetof(struct seccomp_data, nr), 0, 0);
	allow_all(&f, computing, COUNT(computing));
	allow_values(&f, NR_FCNTL, 1, fcntl_commands, COUNT(fcntl_commands));
	if (s->kind == SANDBOX_REPORT)
		allow_reporting(&f, s, has_landlock);
	allow_values(&f, SYS_tgkill, 0, &self, 1);	/* abort() and raise() */
	put(&f, RETURN, REFUSE, 0, 0);
	if (f.nr == FILTER_MAX)
		return -E2BIG;
	program = (struct sock_fprog){ f.nr, f.code };
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) ? -errno : 0;
}

#else

/* Without a list for this architecture nothing is parsed there. */
int sandbox_filter(const struct sandbox *s, bool has_landlock)
{
	(void)s;
	(void)has_landlock;
	return -EOPNOTSUPP;
}

#endif
