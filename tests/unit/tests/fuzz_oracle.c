// SPDX-License-Identifier: GPL-2.0-or-later
/* fuzz_oracle.c - test that an input of a fuzz target which costs too much is a finding */
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>

#include "tests/tap.h"

int __real_LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int __wrap_LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MIB	(1u << 20)

static size_t amount;		/* bytes */
static void (*use)(void);

int __real_LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	(void)data;
	(void)size;
	use();
	return 0;
}

/* Whether an input of @size bytes, whose target does @what with @bytes, is a finding. */
static bool is_found(void (*what)(void), size_t bytes, size_t size)
{
	static const uint8_t input[256 * 1024];
	char *before[] = { malloc(MIB), malloc(MIB) };
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		signal(SIGABRT, SIG_DFL);
		amount = bytes;
		use = what;
		/* twice, because what is freed between them was allocated before the first */
		for (int i = 0; i < 2; i++) {
			__wrap_LLVMFuzzerTestOneInput(input, size);
			free(before[i]);
		}
		_exit(0);
	}
	free(before[0]);
	free(before[1]);
	waitpid(pid, &status, 0);
	CHECK(WIFSIGNALED(status) ? WTERMSIG(status) == SIGABRT : !WEXITSTATUS(status),
	      "status is %#x", status);
	return WIFSIGNALED(status);
}

static __attribute__((unused)) void allocate(void)
{
	char *volatile block = malloc(amount);

	free(block);
}

static void write_much(void)
{
	static const char zeros[65536];
	int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);

	for (size_t done = 0; done < amount; done += sizeof(zeros))
		if (write(fd, zeros, sizeof(zeros)) != sizeof(zeros))
			_exit(2);
	close(fd);
}

static void grow_file(void)
{
	int fd = memfd_create("large", MFD_CLOEXEC);

	if (fd < 0 || ftruncate(fd, amount))
		_exit(2);
	close(fd);
}

static void spin(void)
{
	for (;;)
		;
}

#ifdef __SANITIZE_ADDRESS__		/* without it memory is not counted */
TEST(memory)
{
	CHECK(!is_found(allocate, 15 * MIB, 0), "15 MiB are allowed");
	CHECK(is_found(allocate, 17 * MIB, 0), "17 MiB for nothing");
	CHECK(!is_found(allocate, 17 * MIB, 64 * 1024), "17 MiB for 64 KiB are allowed");
	CHECK(is_found(allocate, 21 * MIB, 64 * 1024), "21 MiB for 64 KiB");
}
#endif

TEST(output)
{
	CHECK(!is_found(write_much, MIB / 2, 0), "half a MiB is allowed");
	CHECK(is_found(write_much, 2 * MIB, 0), "2 MiB for nothing");
	CHECK(!is_found(write_much, 2 * MIB, 64 * 1024), "2 MiB for 64 KiB are allowed");
	CHECK(is_found(grow_file, 2 * MIB, 0), "a file of 2 MiB for nothing");
	CHECK(!is_found(grow_file, 2 * MIB, 64 * 1024), "a file of 2 MiB for 64 KiB is allowed");
}

TEST(time)
{
	CHECK(is_found(spin, 0, 0), "an input that never ends");
}

TEST_MAIN()
