// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * driver.c - main() of a fuzz target where there is no libFuzzer
 *
 *	PROGRAM			its seeds, then mutations of them for $FUZZ_SECONDS (3) seconds
 *	PROGRAM FILE...		just these inputs, to see a finding again
 *
 * Seeds lie in tests/fuzz/seeds/PROGRAM below the current folder, or in $FUZZ_SEEDS. A child
 * runs the target on an input that lies in shared memory; if it dies, also because the input costs
 * more than it may (oracle.c), the parent keeps the input and says where. Nothing else is printed.
 * $FUZZ_SEED: another random sequence.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define INPUT_MAX	(256 * 1024)
#define SEEDS_MAX	256

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct input {
	size_t size;
	uint8_t bytes[INPUT_MAX];
};

static struct input *shared;		/* what the child works on */
static struct input *seeds[SEEDS_MAX];
static size_t nr_seeds;
static uint64_t random_state = 88172645463325252u;

static uint64_t random_u64(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

static size_t random_below(size_t n)
{
	return n ? (size_t)(random_u64() % n) : 0;
}

static __attribute__((noreturn)) void fail(const char *what, const char *name)
{
	fprintf(stderr, "fuzz: %s '%s': %s\n", what, name, strerror(errno));
	exit(2);
}

static void add_seed(const char *path)
{
	struct input *seed = malloc(sizeof(*seed));
	FILE *f = fopen(path, "r");

	if (!f || !seed)
		fail("cannot read", path);
	seed->size = fread(seed->bytes, 1, INPUT_MAX, f);
	fclose(f);
	if (nr_seeds < SEEDS_MAX)
		seeds[nr_seeds++] = seed;
	else
		free(seed);
}

static void add_seeds_of(const char *dir)
{
	struct dirent **names;
	int n = scandir(dir, &names, NULL, alphasort);

	if (n < 0)
		fail("no seeds: cannot open", dir);
	for (int i = 0; i < n; i++) {
		char path[5000];

		snprintf(path, sizeof(path), "%s/%s", dir, names[i]->d_name);
		if (names[i]->d_name[0] != '.')
			add_seed(path);
		free(names[i]);
	}
	free(names);
	if (!nr_seeds)
		fail("no seeds in", dir);
}

/* --- mutations: each changes the input in one place --- */

/* Replace @old bytes at @at by @n bytes, as far as there is room. */
static void replace(struct input *in, size_t at, size_t old, const uint8_t *bytes, size_t n)
{
	size_t tail = in->size - at - old;

	if (n > INPUT_MAX - at - tail)
		return;
	memmove(in->bytes + at + n, in->bytes + at + old, tail);
	if (n)
		memmove(in->bytes + at, bytes, n);
	in->size = at + n + tail;
}

static void put_number(struct input *in)
{
	static const uint64_t odd[] = { 0, 1, 2, 3, 7, 127, 128, 255, 256, 0x7fff, 0xffff, 0x10000,
					0x7fffffff, 0x80000000, 0xffffffff, 0x100000000,
					INT64_MAX, (uint64_t)INT64_MAX + 1, UINT64_MAX - 1,
					UINT64_MAX };
	uint64_t value = odd[random_below(sizeof(odd) / sizeof(odd[0]))] + random_below(3) - 1;
	size_t size = (size_t)1 << random_below(4), at;

	if (in->size < size)
		return;
	at = random_below(in->size - size + 1);
	if (random_below(2))
		at &= ~(size - 1);
	if (random_below(4) == 0)
		value = __builtin_bswap64(value) >> (64 - 8 * size);
	memcpy(in->bytes + at, &value, size);
}

static void put_text(struct input *in)
{
	static const char *const texts[] = {
		"\n", " ", "/", ".", "{dep}", "{root}", "{kern}", "{anon:", "}", "{cg}", "0x", "0",
		"-1", "18446744073709551616", "ffffffffffffffff", "\\", "\\012", "#", ":", "all",
		"..", "=", "\t", "%s%n",
	};
	const char *text = texts[random_below(sizeof(texts) / sizeof(texts[0]))];
	size_t at = random_below(in->size + 1), old = random_below(2) ? 0 : random_below(4);

	if (old > in->size - at)
		old = in->size - at;
	replace(in, at, old, (const uint8_t *)text, strlen(text));
}

/* A piece of some seed, perhaps the same one, put somewhere else. */
static void put_piece(struct input *in)
{
	const struct input *from = seeds[random_below(nr_seeds)];
	size_t at = random_below(in->size + 1), start = random_below(from->size);
	size_t n = random_below(from->size - start + 1);
	size_t old = random_below(2) ? 0 : random_below(in->size - at + 1);

	replace(in, at, old, from->bytes + start, n);
}

static void mutate_once(struct input *in)
{
	size_t at = random_below(in->size), n;

	switch (random_below(8)) {
	case 0:
		if (in->size)
			in->bytes[at] ^= (uint8_t)(1 << random_below(8));
		break;
	case 1:
		if (in->size)
			in->bytes[at] = (uint8_t)random_u64();
		break;
	case 2:
		put_number(in);
		break;
	case 3:
		n = random_below(random_below(8) ? 16 : in->size);
		if (n > in->size - at)
			n = in->size - at;
		replace(in, at, n, NULL, 0);
		break;
	case 4:
		put_text(in);
		break;
	case 5:
		put_piece(in);
		break;
	case 6:
		in->size = random_below(in->size + 1);
		break;
	default:
		put_number(in);
		put_number(in);
	}
}

/* --- running --- */

static void run_input(const struct input *in)
{
	uint8_t *copy;

	/* a block of exactly its size, so that one byte too far is found */
	if (shared != in) {
		memcpy(shared->bytes, in->bytes, in->size);
		shared->size = in->size;
	}
	copy = malloc(shared->size ? shared->size : 1);
	if (!copy)
		_exit(2);
	memcpy(copy, shared->bytes, shared->size);
	LLVMFuzzerTestOneInput(copy, shared->size);
	free(copy);
}

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void run_all(double duration)
{
	double end = seconds() + duration;

	for (size_t i = 0; i < nr_seeds; i++)
		run_input(seeds[i]);
	while (seconds() < end) {
		const struct input *seed = seeds[random_below(nr_seeds)];

		memcpy(shared->bytes, seed->bytes, seed->size);
		shared->size = seed->size;
		for (size_t n = 1 + random_below(6); n; n--)
			mutate_once(shared);
		run_input(shared);
	}
}

/* Tell the finding and keep its input. */
static int report(const char *name, int status)
{
	const char *dir = getenv("TMPDIR");
	char path[4096];
	int fd;

	snprintf(path, sizeof(path), "%s/fuzz-%s-XXXXXX", dir ? dir : "/tmp", name);
	fd = mkstemp(path);
	if (fd < 0 || write(fd, shared->bytes, shared->size) != (ssize_t)shared->size)
		fail("cannot keep the input in", path);
	close(fd);
	if (WIFSIGNALED(status))
		fprintf(stderr, "%s: %s on an input kept as %s\n", name,
			strsignal(WTERMSIG(status)), path);
	else
		fprintf(stderr, "%s: exit %d on an input kept as %s\n", name, WEXITSTATUS(status),
			path);
	return 1;
}

int main(int argc, char **argv)
{
	const char *name = strrchr(argv[0], '/') ? strrchr(argv[0], '/') + 1 : argv[0];
	const char *duration = getenv("FUZZ_SECONDS"), *dir = getenv("FUZZ_SEEDS");
	char own_seeds[4096];
	int status;
	pid_t pid;

	if (getenv("FUZZ_SEED"))
		random_state ^= strtoull(getenv("FUZZ_SEED"), NULL, 0) * 0x9e3779b97f4a7c15u;
	snprintf(own_seeds, sizeof(own_seeds), "tests/fuzz/seeds/%s", name);
	for (int i = 1; i < argc; i++)
		add_seed(argv[i]);
	if (argc < 2)
		add_seeds_of(dir ? dir : own_seeds);
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	if (shared == MAP_FAILED)
		fail("cannot share", "memory");
	pid = fork();
	if (pid == 0) {
		run_all(argc > 1 ? 0 : duration ? atof(duration) : 3);
		for (size_t i = 0; i < nr_seeds; i++)
			free(seeds[i]);
		nr_seeds = 0;
		exit(0);		/* leak checks run here */
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		fail("cannot run", name);
	return status ? report(name, status) : 0;
}
