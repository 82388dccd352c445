// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * oracle.c - what an input may cost: memory, output and CPU time, by its size
 *
 * Linked into each target in front of it (--wrap), whatever runs it. An input that costs more is a
 * finding: the program says which limit it passed and aborts. Wall time is no limit, because a busy
 * machine takes any time for nothing; only a target that waits for what does not come is ended.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

/*
 * Bytes: for any input, and for each of its bytes. Readers may take 64 MiB for 1 MiB, [PF-7]; a
 * small zstd frame may have a window of 8 MiB.
 */
#define MEMORY_BASE	(16u << 20)
#define MEMORY_RATIO	64
#define OUTPUT_BASE	(1u << 20)	/* all writes together, and the size of each file */
#define OUTPUT_RATIO	64
/* CPU time with sanitizers: 20 s for 256 KiB. */
#define SECONDS_BASE	4
#define BYTES_A_SECOND	(16 * 1024)
#define BLOCKED_SECONDS	600

int __real_LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int __wrap_LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* AddressSanitizer's; without it memory is not looked at. */
__attribute__((weak)) int __sanitizer_install_malloc_and_free_hooks(
	void (*on_malloc)(const volatile void *, size_t), void (*on_free)(const volatile void *));
__attribute__((weak)) size_t __sanitizer_get_allocated_size(const volatile void *);

/* In all, minus what was freed: less than nothing if that was allocated before the first input. */
static atomic_ptrdiff_t allocated;
static ptrdiff_t most = PTRDIFF_MAX;	/* of it, for the current input */

/* [signal] */
static __attribute__((noreturn)) void found(const char *what)
{
	(void)!write(STDERR_FILENO, what, strlen(what));
	abort();
}

static void count_malloc(const volatile void *block, size_t size)
{
	(void)block;
	if (atomic_fetch_add(&allocated, size) + (ptrdiff_t)size > most) {
		most = PTRDIFF_MAX;
		found("fuzz: more than 16 MiB of memory and 64 bytes for each of the input\n");
	}
}

static void count_free(const volatile void *block)
{
	if (block)
		atomic_fetch_sub(&allocated, __sanitizer_get_allocated_size(block));
}

static void on_signal(int signal)
{
	switch (signal) {
	case SIGPROF:
		found("fuzz: more than 4 s of CPU time and 1 s for each 16 KiB of the input\n");
	case SIGXFSZ:
		found("fuzz: a file of more than 1 MiB and 64 bytes for each of the input\n");
	default:
		found("fuzz: it waits for what does not come\n");
	}
}

static void set_up(void)
{
	const int signals[] = { SIGPROF, SIGXFSZ, SIGALRM };

	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		sigaction(signals[i], &(struct sigaction){ .sa_handler = on_signal }, NULL);
	if (__sanitizer_install_malloc_and_free_hooks && __sanitizer_get_allocated_size)
		__sanitizer_install_malloc_and_free_hooks(count_malloc, count_free);
}

/* Bytes of all writes of this process so far. */
static uint64_t written(void)
{
	static int fd = -1;
	unsigned long long n = 0;
	char text[512];
	ssize_t len;

	if (fd < 0)
		fd = open("/proc/self/io", O_RDONLY | O_CLOEXEC);
	len = pread(fd, text, sizeof(text) - 1, 0);
	text[len > 0 ? len : 0] = 0;
	sscanf(text, "%*s %*u wchar: %llu", &n);
	return n;
}

/* 0: none. */
static void limit_seconds(time_t cpu, unsigned int wall)
{
	setitimer(ITIMER_PROF, &(struct itimerval){ .it_value.tv_sec = cpu }, NULL);
	alarm(wall);
}

static void limit_files(rlim_t bytes)
{
	struct rlimit limit;

	getrlimit(RLIMIT_FSIZE, &limit);
	limit.rlim_cur = bytes < limit.rlim_max ? bytes : limit.rlim_max;
	setrlimit(RLIMIT_FSIZE, &limit);
}

int __wrap_LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static bool is_set_up;
	uint64_t output = OUTPUT_BASE + (uint64_t)size * OUTPUT_RATIO, before;
	int result;

	if (!is_set_up)
		set_up();
	is_set_up = true;
	before = written();
	limit_files(output);
	limit_seconds(SECONDS_BASE + size / BYTES_A_SECOND, BLOCKED_SECONDS);
	most = atomic_load(&allocated) + (ptrdiff_t)(MEMORY_BASE + size * MEMORY_RATIO);
	result = __real_LLVMFuzzerTestOneInput(data, size);
	most = PTRDIFF_MAX;
	limit_seconds(0, 0);
	limit_files(RLIM_INFINITY);
	if (written() - before > output)
		found("fuzz: more than 1 MiB of output and 64 bytes for each of the input\n");
	return result;
}
