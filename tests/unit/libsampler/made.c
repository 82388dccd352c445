// SPDX-License-Identifier: GPL-2.0-or-later
/* made.c - code made at run time: its callers, and its names from files and GDB's interface */
#include <fcntl.h>
#include <sys/mman.h>
#include "formats/format.h"
#include "libsampler/build/made.h"
#include "libutil/file.h"
#include "tests/unit/libsampler/build.h"
#include "tests/unit/libsampler/walked.h"

/* push %rbp; mov %rsp, %rbp; call *%rdi; pop %rbp; ret, or the same of arm64 */
#ifdef __x86_64__
static const unsigned char code[] = { 0x55, 0x48, 0x89, 0xe5, 0xff, 0xd7, 0x5d, 0xc3 };
#else
static const uint32_t code[] = { 0xa9bf7bfd, 0x910003fd, 0xd63f0000, 0xa8c17bfd, 0xd65f03c0 };
#endif

static unsigned char *make_code(void)
{
	unsigned char *made = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
				   -1, 0);

	CHECK(made != MAP_FAILED, "memory");
	memcpy(made + 256, code, sizeof(code));
	__builtin___clear_cache((char *)made, (char *)made + 8192);
	CHECK(!mprotect(made, 8192, PROT_READ | PROT_EXEC), "executable");
	return made + 256;
}

/* --- its callers --- */

static struct walked w;

static void stay(void)
{
	target_stay(&w.target);
}

static void call_made(struct target *t)
{
	void (*made)(void (*)(void)) = (void (*)(void (*)(void)))(uintptr_t)t->value;

	made(stay);
	atomic_store(&t->value, 0);
}

static void start_in_made_code(struct target *t)
{
	atomic_store(&t->value, (long)(uintptr_t)make_code());
	call_made(t);
}

static bool has_frame_in(uintptr_t low, size_t size)
{
	for (size_t i = 0; i < w.nr; i++)
		if (w.frames[i].address - low < size)
			return !w.frames[i].module;
	return false;
}

TEST(callers_of_made_code_are_found)
{
	modules_hold();
	CHECK(!walker_new(&w.walker), "a walker");
	target_start(&w.target, start_in_made_code);
	walked_sample(&w, false);
	CHECK(w.status == SAMPLER_WHOLE, "status %d", w.status);
	CHECK(has_frame_in((uintptr_t)atomic_load(&w.target.value), sizeof(code)), "in it");
	if (w.status != SAMPLER_WHOLE)
		walked_tell(&w);
	walked_end(&w);
}

/* --- its names --- */

/* Folded stacks of one sample at @address, which is in no module. */
static char *folded_at(uintptr_t address)
{
	const struct sampler_summary summary = summary_of(SAMPLER_CPU);
	const struct sampler_frame frame = { address, NULL, true };
	struct sampler_error e = { "" };
	struct sampler_builder b;
	char *text = NULL;

	CHECK(!sampler_file_builder(SAMPLER_FOLDED, tmpdir_path("a"), &b, &e), "%s", e.text);
	give(&b, &frame, 1, SAMPLER_WHOLE, 1, gettid(), NULL, 0);
	CHECK(!b.ops->completed(b.context, &summary, &e), "%s", e.text);
	CHECK(!file_read_all(tmpdir_path("a"), 1 << 20, &text, NULL), "written");
	drop(&b);
	return text;
}

static void check_name(uintptr_t address, const char *name)
{
	char *text = folded_at(address);

	CHECK(text && strstr(text, name), "'%s' is not in: %s", name, text);
	free(text);
}

static void map_path(char *ret, size_t size)
{
	snprintf(ret, size, "/tmp/perf-%d.map", getpid());
}

TEST(names_of_a_perf_map)
{
	unsigned char *made = make_code();
	char path[64];
	FILE *f;

	tmpdir_make();
	map_path(path, sizeof(path));
	unlink(path);
	f = fopen(path, "w");
	CHECK(f, "%s", path);
	fprintf(f, "%lx %zx older\n%lx %zx a made function\n", (unsigned long)made, sizeof(code),
		(unsigned long)made, sizeof(code));
	fclose(f);
	check_name((uintptr_t)made + 4, ";a made function 1");
	check_name((uintptr_t)made + sizeof(code), ";[anon+0x");
	unlink(path);
}

TEST(a_link_is_not_a_perf_map)
{
	unsigned char *made = make_code();
	char path[64], line[64];

	tmpdir_make();
	snprintf(line, sizeof(line), "%lx %zx linked\n", (unsigned long)made, sizeof(code));
	put_file(tmpdir_path("map"), line, strlen(line));
	map_path(path, sizeof(path));
	unlink(path);
	CHECK(!symlink(tmpdir_path("map"), path), "a link");
	check_name((uintptr_t)made + 4, ";[anon+0x");
	unlink(path);
}

TEST(names_of_a_dump)
{
	unsigned char *made = make_code();
	struct {
		uint32_t magic, version, size, machine, unused, pid;
		uint64_t time, flags;
		uint32_t id, record_size;
		uint64_t record_time;
		uint32_t record_pid, tid;
		uint64_t address, code_address, code_size, index;
		char name[8], code[sizeof(code)];
	} dump = {
		.magic = 0x4a695444, .version = 1, .size = 40, .pid = (uint32_t)getpid(),
		.id = 0, .record_size = 16 + 40 + 8 + sizeof(code), .record_time = 1,
		.address = (uintptr_t)made, .code_address = (uintptr_t)made,
		.code_size = sizeof(code), .name = "dumped",
	};
	char name[32];
	int fd;

	tmpdir_make();
	snprintf(name, sizeof(name), "jit-%d.dump", getpid());
	put_file(tmpdir_path(name), &dump, sizeof(dump));
	fd = open(tmpdir_path(name), O_RDONLY);
	CHECK(fd >= 0 && mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0) != MAP_FAILED, "mapped");
	check_name((uintptr_t)made + 4, ";dumped 1");
}

/* GDB's interface. The linked file is this program: its functions at their linked addresses. */
struct jit_code_entry {
	struct jit_code_entry *next, *prev;
	const char *file;
	uint64_t size;
};

__attribute__((visibility("default"))) struct {
	uint32_t version, action;
	struct jit_code_entry *relevant, *first;
} __jit_debug_descriptor = { 1, 0, NULL, NULL };

__attribute__((noinline, used)) static void registered_function(void)
{
	__asm__ volatile("nop");
}

TEST(names_of_registered_code)
{
	struct jit_code_entry broken = { .file = (const char *)16, .size = 100 };
	struct jit_code_entry e = { .next = &broken };
	char *bytes;
	size_t size;

	tmpdir_make();
	broken.next = &broken;		/* a circle ends */
	find_program();
	CHECK(!file_read_all("/proc/self/exe", 64 << 20, &bytes, &size), "read");
	e.file = bytes;
	e.size = size;
	__jit_debug_descriptor.first = &e;
	check_name((uintptr_t)registered_function - program_module.base, ";registered_function 1");
	free(bytes);
}

TEST_MAIN()
