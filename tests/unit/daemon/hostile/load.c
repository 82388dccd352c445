// SPDX-License-Identifier: GPL-2.0-or-later
/* load.c - attacks with more of something than the daemon can be expected to keep */
#include "tests/unit/daemon/hostile/play.h"
#include "tests/unit/daemon/hostile/workers.h"

#if defined(__x86_64__) || defined(__aarch64__)

#define MB	(1u << 20)
#ifdef __SANITIZE_ADDRESS__
#define GROWTH_MAX	(500 * MB)	/* it keeps what is freed */
#else
#define GROWTH_MAX	(100 * MB)
#endif

/* Of the daemon's own memory, at most, in bytes. */
static uint64_t peak_memory(void)
{
	char *path = xasprintf("/proc/%d/status", daemon_pid()), *text = NULL;
	unsigned long long kb = 0;
	const char *line = NULL;

	if (!file_read_all(path, 65536, &text, NULL))
		line = strstr(text, "\nVmHWM:");
	CHECK(line && sscanf(line, "\nVmHWM: %llu", &kb) == 1, "VmHWM");
	free(text);
	free(path);
	return kb << 10;
}

static void check_growth(uint64_t before)
{
	uint64_t growth = peak_memory() - before;

	CHECK(growth < GROWTH_MAX, "%llu bytes more", (unsigned long long)growth);
}

/* ---- very many mappings ---- */

#define MAPPINGS	20000
#define MAPPERS		3

static int code_fd;

static bool put_code(void)
{
	char page[8192] = "";

	memcpy(page, endless_loop, sizeof(endless_loop));
	code_fd = open(tmpdir_path("his/code"), O_RDWR | O_CREAT | O_CLOEXEC, 0755);
	return code_fd >= 0 && pwrite(code_fd, page, sizeof(page), 0) == sizeof(page);
}

/* Every other page, so that the kernel does not merge them. */
static void map_much(void)
{
	char *at = mmap(NULL, (size_t)MAPPINGS * 8192, PROT_NONE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	for (size_t i = 0; at != MAP_FAILED && i < MAPPINGS; i++)
		if (mmap(at + i * 8192, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED,
			 code_fd, 0) == MAP_FAILED)
			break;
	spin_at(at);
}

TEST(many_mappings)
{
	pid_t attackers[MAPPERS], other;
	uint64_t before;

	start_daemon();
	before = peak_memory();
	CHECK(!ask("start"), "start");
	for (size_t i = 0; i < MAPPERS; i++)
		attackers[i] = attack(put_code, map_much);
	other = busy_child();
	for (size_t i = 0; i < MAPPERS; i++)
		let_be_sampled(attackers[i]);
	let_be_sampled(other);
	CHECK(!ask("dump"), "dump");
	check_growth(before);
	CHECK(!counts().lost[LOST_SAMPLE_FILE] && !counts().lost[LOST_STREAM], "lost");
	for (size_t i = 0; i < MAPPERS; i++)
		attack_end(attackers[i]);
	CHECK(!ask("shutdown"), "shutdown");
	attack_end(other);
}

/* ---- very many files that are executed ---- */

#define FILES	2000

static bool chdir_his(void)
{
	return !chdir(tmpdir_path("his"));
}

static void run_files(void)
{
	for (unsigned int i = 0;; i++) {
		char name[20];
		void *at;
		int fd;

		snprintf(name, sizeof(name), "%u", i % FILES);
		fd = open(name, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);
		if (write(fd, endless_loop, sizeof(endless_loop)) != sizeof(endless_loop))
			break;
		at = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
		close(fd);
		unlink(name);		/* the next one of that name is another file */
		munmap(at, 4096);
	}
}

TEST(many_files)
{
	pid_t attacker, other;
	uint64_t before;

	start_daemon();
	before = peak_memory();
	CHECK(!ask("start"), "start");
	attacker = attack(chdir_his, run_files);
	other = busy_child();
	for (int i = 0; i < 5; i++)
		let_be_sampled(attacker);
	let_be_sampled(other);
	CHECK(!ask("dump"), "dump");
	check_growth(before);
	attack_end(attacker);
	CHECK(!ask("shutdown"), "shutdown");
	attack_end(other);
}

/* ---- requests without end ---- */

static void request_dumps(void)
{
	for (;;)
		(void)ask("dump");
}

static void request_status(void)
{
	for (;;)
		(void)ask("status");
}

TEST(a_flood_of_requests)
{
	pid_t attackers[20], other;

	start_daemon();
	other = busy_child();
	for (size_t i = 0; i < ARRAY_SIZE(attackers); i++)
		attackers[i] = attack(nothing_to_prepare, i % 2 ? request_dumps : request_status);
	sample_it(other);
	check_nothing_lost();
	CHECK(!ask("stop") && !ask("shutdown"), "ours");
	for (size_t i = 0; i < ARRAY_SIZE(attackers); i++)
		attack_end(attackers[i]);
	attack_end(other);
}

/* ---- memory that is executed, in very many places ---- */

static void run_everywhere(void)
{
	for (;;) {
		unsigned char *at = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
					 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (at == MAP_FAILED)
			continue;
#if defined(__x86_64__)
		memset(at, 0x90, 4095);		/* nop; then ret */
		at[4095] = 0xc3;
#else
		for (size_t i = 0; i < 1024; i++)
			memcpy(at + 4 * i, i < 1023 ? "\x1f\x20\x03\xd5" : "\xc0\x03\x5f\xd6", 4);
#endif
		if (!mprotect(at, 4096, PROT_READ | PROT_EXEC)) {
			__builtin___clear_cache((char *)at, (char *)at + 4096);
			for (int i = 0; i < 100; i++)
				spin_at(at);
		}
		/* kept mapped for a while, so that addresses differ */
		if ((uintptr_t)at & 4096)
			munmap(at, 4096);
	}
}

TEST(code_in_many_places)
{
	pid_t attacker, other;
	uint64_t before;

	start_daemon();
	before = peak_memory();
	attacker = attack(nothing_to_prepare, run_everywhere);
	other = busy_child();
	CHECK(!ask("start"), "start");
	for (int i = 0; i < 4; i++)
		let_be_sampled(attacker);
	let_be_sampled(other);
	CHECK(!ask("dump"), "dump");
	check_growth(before);
	check_nothing_lost();
	attack_end(attacker);
	CHECK(!ask("shutdown"), "shutdown");
	attack_end(other);
}

#endif

TEST_MAIN()
