/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz - everything that programs can do to the module, at random and all at the same time
 *
 *	fuzz SECONDS SEED MODULE.ko
 *
 * Processes that each repeat one job: a reader opens the buffer with random settings, samples, and
 * pushes unwind tables with flipped bytes; writers put random and boundary values into all files of
 * oprofilefs; mappers change executable mappings that are sampled; a mounter mounts, unmounts,
 * unloads and loads; and strangers without privileges, also in user namespaces, try all of that. A
 * process lives for one turn, whose random numbers follow from the seed, its job and the number of
 * the turn; what runs at the same time is the machine's affair.
 *
 * Ends after SECONDS, but not before each kind of attempt has succeeded once. Prints a line "KIND
 * ATTEMPTS SUCCESSES" each, and a line "forbidden WHAT" for what a stranger was able to do. Exit
 * status 1: there was one. Whether the kernel is well is not seen here.
 */
#include <fcntl.h>
#include <ftw.h>
#include <grp.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

#include "oprofilefs/op_abi.h"
#include "unwind/build.h"

#define FS		OPROFILEFS_MOUNT
#define NOBODY		65534
#define FILES_MAX	1024

static void die(const char *what)
{
	perror(what);
	exit(2);
}

/* --- what was done --- */

enum kind {
	OPEN, READ, WRITE, SET, BUFFER, SAMPLES, START, DUMP, COOKIE_PATH, COOKIE_FD, PUSH,
	PUSH_BAD, MAP, MOUNT, UNMOUNT, LOAD, UNLOAD, STRANGER, NAMESPACE, KINDS
};

static const char *const kind_names[KINDS] = {
	"open", "read", "write", "set", "buffer", "samples", "start", "dump", "cookie-path",
	"cookie-fd", "push", "push-bad", "map", "mount", "unmount", "load", "unload", "stranger",
	"namespace",
};

static struct shared {
	atomic_ulong attempts[KINDS], successes[KINDS];
	atomic_bool is_forbidden;
	atomic_bool is_unloading;	/* turns end early, so that it can succeed */
} *shared;

static bool is_unloading(void)
{
	return atomic_load(&shared->is_unloading);
}

/* Count an attempt and pass its result on. */
static long count(enum kind kind, long result)
{
	atomic_fetch_add(&shared->attempts[kind], 1);
	if (result >= 0)
		atomic_fetch_add(&shared->successes[kind], 1);
	return result;
}

static void forbidden(const char *what)
{
	atomic_store(&shared->is_forbidden, true);
	printf("forbidden %s\n", what);
	fflush(stdout);
}

/* --- chance --- */

static _Thread_local uint64_t state;

static void seed_random(uint64_t seed, uint64_t job, uint64_t turn)
{
	state = (seed * 31 + job) * 0x9e3779b97f4a7c15 + turn * 0xd1342543de82ef95 + 1;
}

static uint64_t random_u64(void)
{
	uint64_t z = state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

static uint64_t below(uint64_t n)
{
	return random_u64() % n;
}

static bool one_in(unsigned int n)
{
	return below(n) == 0;
}

#define PICK(array)	((array)[below(sizeof(array) / sizeof((array)[0]))])

static uint64_t random_number(void)
{
	static const uint64_t edges[] = {
		0, 0, 1, 1, 2, 10, 16, 64, 1000, 1024, 4096, 8192, 65536, 100000, 1 << 20, 1 << 24,
		INT32_MAX, UINT32_MAX, INT64_MAX, UINT64_MAX,
	};

	return one_in(3) ? random_u64() >> below(64) : PICK(edges) + below(3) - 1;
}

static void random_pause(void)
{
	usleep(below(one_in(8) ? 50000 : 2000));
}

static void *random_pointer(void *good)
{
	void *const bad[] = {
		NULL, (void *)8, (void *)-1, (void *)(1UL << 47), (void *)0xffff888000000000,
		(void *)0xffffffff81000000, (char *)good + 1,
	};

	return one_in(6) ? PICK(bad) : good;
}

/*
 * Now and then one allocation, or access to user memory, of what this thread does next fails, where
 * the kernel injects faults: up to the call of ends_failing(), which returns its argument.
 */
static void set_failing(unsigned int nth)
{
	int fd = open("/proc/thread-self/fail-nth", O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	dprintf(fd, "%u", nth);
	close(fd);
}

static _Thread_local bool is_failing;

static void may_fail(void)
{
	is_failing = one_in(4);
	if (is_failing)
		set_failing(1 + below(100));
}

static long ends_failing(long result)
{
	for (int n = 0; is_failing && n < 2; n++)
		set_failing(0);		/* the first may be what fails */
	return result;
}

/* --- files --- */

static char *files[FILES_MAX];
static size_t nr_files;

static int add_file(const char *path, const struct stat *st, int type, struct FTW *f)
{
	(void)st;
	(void)f;
	if (type == FTW_F && nr_files < FILES_MAX)
		files[nr_files++] = strdup(path);
	return 0;
}

static size_t random_text(char *text, size_t room)
{
	static const char *const formats[] = {
		"%llu", "%llu\n", "0x%llx", "0%llo", "-%llu", "%llu x",
	};

	if (one_in(8)) {
		size_t len = below(room);

		for (size_t i = 0; i < len; i++)
			text[i] = one_in(2) ? '0' + below(10) : random_u64();
		return len;
	}
	/* mostly the plain number, so that it is taken */
	return snprintf(text, room, formats[one_in(2) ? 0 : below(6)],
			(unsigned long long)random_number());
}

static void access_file(int fd, bool is_buffer)
{
	char text[8192];
	size_t len = random_text(text, sizeof(text));
	struct iovec pieces[] = { { text, below(64) }, { random_pointer(text), below(5000) } };
	struct pollfd p = { .fd = fd, .events = POLLIN };

	switch (below(is_buffer ? 12 : 9)) {
	case 0: case 1: case 2:
		count(WRITE, write(fd, random_pointer(text), len));
		break;
	case 3:
		count(READ, read(fd, random_pointer(text), below(sizeof(text))));
		break;
	case 4:
		count(READ, pread(fd, text, below(64), random_number()));
		break;
	case 5:
		count(WRITE, pwrite(fd, text, len, random_number()));
		break;
	case 6:
		lseek(fd, random_number(), below(5));
		break;
	case 7:
		count(READ, readv(fd, pieces, 2));
		count(WRITE, writev(fd, pieces, 2));
		break;
	case 8:
		poll(&p, 1, 0);
		if (mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0) != MAP_FAILED)
			forbidden("mmap of a file of oprofilefs");
		break;
	default:
		ioctl(fd, one_in(2) ? _IOWR('o', 0xe0 + below(4), char[16]) : random_u64(),
		      random_pointer(text));
	}
}

/* What the file system itself has to refuse. */
static int abuse_path(const char *path)
{
	char other[512];

	snprintf(other, sizeof(other), "%s.new", path);
	switch (below(8)) {
	case 0: return unlink(path);
	case 1: return rename(path, other);
	case 2: return link(path, other);
	case 3: return mkdir(other, 0777);
	case 4: return truncate(path, below(10000));
	case 5: return setxattr(path, "user.x", other, 10, 0);
	case 6: return close(open(other, O_CREAT | O_RDWR, 0666));
	default: return chmod(FS "/buffer", 0777);
	}
}

static void abuse_file(const char *path)
{
	static const int modes[] = { O_RDONLY, O_WRONLY, O_RDWR, O_WRONLY | O_TRUNC | O_APPEND };
	int fd = count(OPEN, open(path, PICK(modes) | O_NONBLOCK | O_CLOEXEC));

	for (int n = below(6); fd >= 0 && n; n--)
		access_file(fd, !strcmp(path, FS "/buffer"));
	if (fd >= 0)
		close(fd);
	if (one_in(20))
		abuse_path(path);
}

static void *write_files(void *seed)
{
	seed_random((uintptr_t)seed, 100, 0);
	for (int n = 200; n && !is_unloading(); n--) {
		abuse_file(files[below(nr_files)]);
		if (one_in(30))
			random_pause();
	}
	return NULL;
}

static void write_all(void)
{
	pthread_t other;

	pthread_create(&other, NULL, write_files, (void *)random_u64());
	write_files((void *)random_u64());
	pthread_join(other, NULL);
}

/* --- the reader --- */

static int set(const char *name, uint64_t number)
{
	char path[64], text[24];
	int fd, err;

	snprintf(path, sizeof(path), FS "/%s", name);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	err = write(fd, text, snprintf(text, sizeof(text), "%llu", (unsigned long long)number));
	close(fd);
	return err < 0 ? -1 : 0;
}

static uint64_t get(const char *name)
{
	char path[64];
	unsigned long long n = 0;
	FILE *f;

	snprintf(path, sizeof(path), FS "/%s", name);
	f = fopen(path, "re");
	if (f && fscanf(f, "%llu", &n) != 1)
		n = 0;
	if (f)
		fclose(f);
	return n;
}

/* Mostly what lets a session begin. The largest buffers take a slow machine long to clear. */
static void choose_settings(void)
{
	static const unsigned int depths[] = { 0, 1, 16, 64, 128, 1024 };
	char name[32];
	unsigned int n = below(32);

	count(SET, set("buffer_size", one_in(64) ? OP_BUFFER_SIZE_MAX : 1024u << below(8)));
	count(SET, set("buffer_watershed", 1 + below(1024)));
	count(SET, set("cpu_buffer_size", one_in(64) ? OP_CPU_BUFFER_SIZE_MAX : 16u << below(8)));
	count(SET, set("backtrace_depth", PICK(depths)));
	count(SET, set("unwind/memory", one_in(4) ? below(2048) : OP_UNWIND_MEMORY));
	count(SET, set("idle", below(2)));
	count(SET, set("time_slice", 1 + below(20)));
	count(SET, set("timer/count", get("timer/min_count") * (1 + below(100))));
	if (access(FS "/0", F_OK))
		return;
	for (unsigned int i = 0; i < 32 && !one_in(8); i++) {
		snprintf(name, sizeof(name), "%u/enabled", i);
		set(name, 0);
	}
	if (one_in(2))
		return;
	snprintf(name, sizeof(name), "%u/enabled", n);
	set(name, 1);
	snprintf(name, sizeof(name), "%u/event", n);
	set(name, one_in(2) ? 0x3c : random_number());
	snprintf(name, sizeof(name), "%u/count", n);
	set(name, one_in(4) ? random_number() : 100000ul << below(8));
	snprintf(name, sizeof(name), "%u/unit_mask", n);
	set(name, one_in(2) ? 0 : random_number());
	snprintf(name, sizeof(name), "%u/extra", n);
	set(name, one_in(2) ? 0 : random_number());
}

static int buffer;
static _Atomic op_word cookies[64];	/* some that the stream named */
static atomic_uint nr_cookies;
static struct op_unwind_table *good_table;
static size_t good_len;
static char *bad_table;			/* both pushers change it, also while it is being copied */

static op_word random_cookie(void)
{
	return one_in(4) ? OP_COOKIE_VDSO : one_in(8) ? random_number() : PICK(cookies);
}

static void note_cookies(const op_word *w, size_t n)
{
	for (size_t i = 0; i + 3 < n; i++)
		if (w[i] == OP_ESCAPE &&
		    (w[i + 1] == OP_COOKIE_SWITCH || w[i + 1] == OP_WANT_TABLE))
			cookies[atomic_fetch_add(&nr_cookies, 1) % 64] = w[i + 2];
}

static void *read_samples(void *seed)
{
	static op_word words[1 << 14];

	seed_random((uintptr_t)seed, 101, 0);
	for (;;) {
		struct pollfd p = { .fd = buffer, .events = POLLIN };
		ssize_t n;

		if (one_in(4))
			poll(&p, 1, 10);
		n = read(buffer, random_pointer(words), one_in(4) ? below(100) : sizeof(words));
		if (n > 0)
			note_cookies(words, n / sizeof(*words));
		count(SAMPLES, n > 0 ? 0 : -1);
		if (n < 0)
			usleep(1000);
	}
	return NULL;
}

static void bend_table(void)
{
	uint32_t edge = random_number();

	/* few flips, so that some are accepted */
	if (one_in(2))
		memcpy(bad_table, good_table, good_len);
	switch (below(8)) {
	case 0:
		bad_table[below(sizeof(*good_table))] ^= 1 << below(8);
		break;
	case 1:
		memcpy(bad_table + below(good_len / 4) * 4, &edge, sizeof(edge));
		break;
	default:
		for (int n = 1 + below(4); n; n--)
			bad_table[sizeof(*good_table) + below(good_len - sizeof(*good_table))] ^=
				1 << below(8);
	}
}

static void push_a_table(void)
{
	struct op_unwind_push push = { .cookie = random_cookie() };
	bool good = one_in(4);

	if (one_in(8)) {
		push.same_as = random_cookie();
	} else {
		if (!good)
			bend_table();
		push.data = (uintptr_t)random_pointer(good ? (void *)good_table : bad_table);
		push.len = one_in(16) ? random_number() : good_len - (one_in(8) ? below(9) : 0);
	}
	may_fail();
	count(good ? PUSH : PUSH_BAD,
	      ends_failing(ioctl(buffer, OP_IOC_UNWIND_TABLE, random_pointer(&push))));
}

static void ask_for_cookie(void)
{
	char path[4096];
	op_word cookie = random_cookie();
	struct op_cookie_path a = {
		cookie, (uintptr_t)random_pointer(path), one_in(4) ? below(64) : sizeof(path),
	};
	int fd;

	may_fail();
	count(COOKIE_PATH, ends_failing(ioctl(buffer, OP_IOC_COOKIE_PATH, random_pointer(&a))));
	if (one_in(2))
		return;
	may_fail();
	fd = ends_failing(ioctl(buffer, OP_IOC_COOKIE_FD, random_pointer(&cookie)));
	count(COOKIE_FD, fd);
	if (fd >= 0)
		close(fd);
}

static void *use_ioctls(void *seed)
{
	seed_random((uintptr_t)seed, 102, 0);
	for (;;) {
		if (one_in(3))
			push_a_table();
		else
			ask_for_cookie();
		if (one_in(8))
			random_pause();
	}
	return NULL;
}

/* The open buffer in the hands of one who could not open it. */
static void hand_to_stranger(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		if (setgroups(0, NULL) || setgid(NOBODY) || setuid(NOBODY))
			_exit(2);
		alarm(1);	/* a read may wait for samples that do not come */
		for (int n = 20; n; n--) {
			access_file(buffer, true);
			push_a_table();
			ask_for_cookie();
		}
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

/* One session. Its end is that of the process: some threads are in the middle of something. */
static void sample(void)
{
	pthread_t thread;

	choose_settings();
	may_fail();
	buffer = open(FS "/buffer", O_RDONLY | O_CLOEXEC | (one_in(4) ? 0 : O_NONBLOCK));
	count(BUFFER, ends_failing(buffer));
	if (buffer < 0)
		return;
	for (int i = 0; i < 64; i++)
		cookies[i] = i;
	pthread_create(&thread, NULL, read_samples, (void *)random_u64());
	pthread_create(&thread, NULL, use_ioctls, (void *)random_u64());
	pthread_create(&thread, NULL, use_ioctls, (void *)random_u64());
	for (int n = 1 + below(40); n && !is_unloading(); n--) {
		switch (below(8)) {
		case 0: count(DUMP, set("dump", 1)); break;
		case 1: set("enable", 0); break;
		case 2: hand_to_stranger(); break;
		default:
			may_fail();
			count(START, ends_failing(set("enable", 1)));
		}
		random_pause();
	}
	if (one_in(2))
		close(buffer);
	if (one_in(2))
		kill(getpid(), SIGKILL);
}

/* --- mappings that come and go below their samples --- */

/* Counts its argument down. */
#if defined(__aarch64__)
static const uint32_t countdown[] = { 0x71000400, 0x54ffffe1, 0xd65f03c0 };
#else
static const uint8_t countdown[] = { 0xff, 0xcf, 0x75, 0xfc, 0xc3 };
#endif
#define CODE_PAGES	8
#define PAGE		4096

static __attribute__((noinline)) int run_deep(char *code, int depth, int turns)
{
	if (depth)
		return run_deep(code, depth - 1, turns) + 1;
	((void (*)(int))(uintptr_t)code)(turns);
	return 0;
}

/* It has the code in each of its pages. */
static int code_file(void)
{
	int fd = memfd_create("code", MFD_CLOEXEC);

	if (fd < 0 || ftruncate(fd, CODE_PAGES * PAGE))
		die("memfd_create");
	for (int i = 0; i < CODE_PAGES; i++)
		if (pwrite(fd, countdown, sizeof(countdown), i * PAGE) < 0)
			die("memfd");
	return fd;
}

static void change_mapping(char *at, int fd)
{
	size_t page = below(CODE_PAGES) * PAGE;

	switch (below(6)) {
	case 0:
		munmap(at + page, PAGE);
		break;
	case 1:
		mprotect(at + page, PAGE, PROT_READ);
		break;
	case 2:
		mprotect(at + page, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC);
		break;
	case 3:
		mremap(at + page, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED,
		       at + below(CODE_PAGES) * PAGE);
		break;
	default:
		mmap(at + page, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, fd,
		     below(CODE_PAGES) * PAGE);
		return;
	}
	/* it is run next, so there must be code */
	mmap(at + page, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, fd, page);
}

/* The first page stays, for a thread that runs in it meanwhile. */
static void *run_first_page(void *code)
{
	for (;;)
		run_deep(code, 3, 100000);
	return NULL;
}

static void change_mappings(void)
{
	int fd = code_file();
	char *at = mmap(NULL, (CODE_PAGES + 1) * PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	pthread_t thread;

	if (count(MAP, at == MAP_FAILED ? -1 : 0))
		return;
	signal(SIGCHLD, SIG_IGN);
	pthread_create(&thread, NULL, run_first_page, at);
	for (int n = below(100); n; n--) {
		for (int i = below(10); i; i--)
			change_mapping(at + PAGE, fd);
		for (int i = 1; i < CODE_PAGES; i++)
			if (mmap(at + i * PAGE, PAGE, PROT_READ | PROT_EXEC,
				 MAP_PRIVATE | MAP_FIXED, fd, i * PAGE) != MAP_FAILED)
				run_deep(at + i * PAGE, below(150), below(50000));
		if (one_in(30) && !fork())
			_exit(run_deep(at, 5, 50000) != 5);
	}
	if (one_in(2))
		execl("/proc/self/exe", "fuzz", "spin", NULL);
}

/* --- mounting and loading --- */

static int load(const char *path)
{
	static const char *const texts[] = {
		"model=timer", "model=nmi-ipi", "model=perf", "model=intel", "model=amd",
		"model=ibs", "model=", "model=x", "selftest=1",
		"unmap_log=0", "clock_khz=999", "clock_khz=1000", "clock_khz=100000000",
		"clock_khz=4294967295", "selftest=x", "clock_khz=-1 model=perf", "x=y",
	};
	int fd = open(path, O_RDONLY | O_CLOEXEC), err;

	if (fd < 0)
		return -1;
	may_fail();
	err = ends_failing(syscall(SYS_finit_module, fd, one_in(3) ? PICK(texts) : "", 0));
	close(fd);
	return err;
}

static int unload(void)
{
	return syscall(SYS_delete_module, "oprofile", O_NONBLOCK);
}

static const char *module_path;
static const char *const places[] = { FS, FS, FS, "/mnt", "/tmp/place" };

static int mount_anywhere(void)
{
	static const int flags[] = { 0, 0, MS_RDONLY, MS_NOEXEC, MS_REMOUNT, MS_BIND, MS_SHARED };
	static const char *const data[] = { NULL, NULL, "", "mode=777", "x" };

	return mount(one_in(8) ? FS : "none", PICK(places), "oprofilefs", PICK(flags), PICK(data));
}

static void unmount_all(int flags)
{
	for (unsigned int i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		while (!count(UNMOUNT, umount2(places[i], flags)))
			;
}

/* Often everything else goes on: it fails, or holds the module for a while. */
static void reload(void)
{
	atomic_store(&shared->is_unloading, one_in(2));
	unmount_all(MNT_DETACH);
	for (int n = 100; n && count(UNLOAD, unload()); n--)
		usleep(5000);
	atomic_store(&shared->is_unloading, false);
}

static void mount_and_load(void)
{
	for (int n = 20; n; n--) {
		switch (below(8)) {
		case 0:
			count(UNMOUNT, umount2(PICK(places), one_in(2) ? 0 : MNT_EXPIRE));
			break;
		case 1:
			count(UNLOAD, unload());
			break;
		case 2: reload(); break;
		default:
			may_fail();
			count(MOUNT, ends_failing(mount_anywhere()));
		}
		if (access("/sys/module/oprofile", F_OK))
			count(LOAD, load(module_path));
		if (access(FS "/buffer", F_OK))
			count(MOUNT, mount("none", FS, "oprofilefs", 0, NULL));
		usleep(below(300000));
	}
}

/* --- strangers --- */

static int put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC), err;

	if (fd < 0)
		return -1;
	err = write(fd, text, strlen(text));
	close(fd);
	return err;
}

static void check_refused(bool refused, const char *what)
{
	count(STRANGER, 0);
	if (!refused)
		forbidden(what);
}

/* Without privileges, or with those of a user namespace's root. */
static void trespass(void)
{
	static const int modes[] = { O_RDONLY, O_WRONLY, O_RDWR };
	const char *path = files[below(nr_files)];
	int mode = PICK(modes), fd = open(path, mode | O_NONBLOCK | O_CLOEXEC);

	check_refused(fd < 0 || mode == O_RDONLY, path);
	if (fd >= 0) {
		access_file(fd, false);
		close(fd);
	}
	abuse_path(path);
	fd = open(FS "/buffer", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	check_refused(fd < 0, "open of the buffer");
	check_refused(set("enable", 1) && set("dump", 1), "start, or dump");
	check_refused(mount("none", "/tmp/place", "oprofilefs", 0, NULL), "mount");
	check_refused(load(module_path), "load");
	check_refused(unload(), "unload");
}

static void intrude(void)
{
	if (setgroups(0, NULL) || setgid(NOBODY) || setuid(NOBODY))
		die("setuid");
	prctl(PR_SET_DUMPABLE, 1);	/* else /proc/self belongs to root */
	if (one_in(2)) {
		if (count(NAMESPACE, unshare(CLONE_NEWUSER | CLONE_NEWNS)))
			return;
		put("/proc/self/setgroups", "deny");
		put("/proc/self/uid_map", "0 65534 1");
		put("/proc/self/gid_map", "0 65534 1");
	}
	for (int n = 20; n && !is_unloading(); n--)
		trespass();
}

/* --- all of it --- */

/* What never sleeps leaves time to the others. */
static const struct job {
	void (*turn)(void);
	int niceness;
} jobs[] = {
	{ sample, 0 }, { mount_and_load, 0 }, { write_all, 5 }, { change_mappings, 10 },
	{ intrude, 10 },
};

#define NR_JOBS		(sizeof(jobs) / sizeof(jobs[0]))

static struct process {
	unsigned long turns;
	pid_t pid;
} processes[NR_JOBS];

static void begin_turn(unsigned int job, uint64_t seed)
{
	struct process *p = &processes[job];

	if (is_unloading() && jobs[job].turn != mount_and_load)
		usleep(1000);
	p->turns++;
	p->pid = fork();
	if (p->pid < 0)
		die("fork");
	if (p->pid)
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setpriority(PRIO_PROCESS, 0, jobs[job].niceness);
	seed_random(seed, job, p->turns);
	jobs[job].turn();
	_exit(0);
}

static bool is_all_done(void)
{
	bool has_namespaces = !access("/proc/self/ns/user", F_OK);

	for (int i = 0; i < KINDS; i++)
		if (!atomic_load(&shared->successes[i]) && (i != NAMESPACE || has_namespaces))
			return false;
	return true;
}

static long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec;
}

static void run(long seconds, uint64_t seed)
{
	long end = now() + seconds;

	for (unsigned int job = 0; job < NR_JOBS; job++)
		begin_turn(job, seed);
	while (now() < end || !is_all_done()) {
		pid_t pid = wait(NULL);

		for (unsigned int job = 0; job < NR_JOBS; job++)
			if (processes[job].pid == pid)
				begin_turn(job, seed);
	}
	for (unsigned int job = 0; job < NR_JOBS; job++)
		kill(processes[job].pid, SIGKILL);
	while (wait(NULL) > 0)
		;
}

/* Tables of this very program, which all samples that matter are in. */
static void make_tables(void)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	if (fd < 0 || unwind_build_fd(fd, 1 << 22, &good_table, &good_len, NULL))
		die("no unwind table of this program");
	close(fd);
	bad_table = malloc(good_len);
	if (!bad_table)
		die("malloc");
	memcpy(bad_table, good_table, good_len);
}

static int spin(void)
{
	for (volatile int i = 0; i < 1000000; i++)
		;
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "spin"))
		return spin();
	if (argc != 4) {
		fprintf(stderr, "usage: fuzz SECONDS SEED MODULE.ko\n");
		return 2;
	}
	module_path = argv[3];
	mkdir("/tmp/place", 0777);
	chmod("/tmp/place", 0777);
	nftw(FS, add_file, 16, FTW_PHYS);
	if (!nr_files)
		die("no files in " FS);
	make_tables();
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	if (shared == MAP_FAILED)
		die("mmap");
	run(atol(argv[1]), strtoull(argv[2], NULL, 0));
	for (int i = 0; i < KINDS; i++)
		printf("%s %lu %lu\n", kind_names[i], atomic_load(&shared->attempts[i]),
		       atomic_load(&shared->successes[i]));
	return atomic_load(&shared->is_forbidden);
}
