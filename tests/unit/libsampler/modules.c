// SPDX-License-Identifier: GPL-2.0-or-later
/* modules.c - the modules of addresses, while libraries are loaded and unloaded */
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/auxv.h>
#include <time.h>
#include "libsampler/sampling.h"
#include "libsampler/unwind/module.h"
#include "libutil/build_id.h"
#include "tests/tap.h"
#include "tests/unit/libsampler/test.h"

static const struct sampler_module *at(const void *address)
{
	return module_at((uintptr_t)address);
}

static const void *code(void (*function)(void))
{
	return (const void *)(uintptr_t)function;
}

static void here(void) {}
static void there(void) {}

static const struct sampler_module *own(void)
{
	modules_update();
	return at(code(here));
}

TEST(the_program_has_its_path_and_build_id)
{
	char path[PATH_MAX] = "", text[BUILD_ID_TEXT];
	struct build_id id = { .len = 0 };
	const struct sampler_module *m = own();

	CHECK(m, "found");
	if (!m)
		return;
	CHECK(readlink("/proc/self/exe", path, sizeof(path) - 1) > 0, "%s", path);
	CHECK(!strcmp(m->path, path), "%s", m->path);
	build_id_read(path, &id);
	CHECK(!strcmp(m->build_id, build_id_text(&id, text)), "%s, the file's is %s", m->build_id,
	      text);
	CHECK(m->is_native, "native");
}

TEST(two_addresses_of_one_module_have_the_same)
{
	CHECK(own() == at(code(there)), "the program's");
	CHECK(own() != at(code((void (*)(void))malloc)), "not that of libc");
}

TEST(a_range_ends_before_its_limit)
{
	const struct sampler_module *m = own();
	uintptr_t start = m->start, limit = m->limit;

	CHECK(module_at(start) == m, "first byte");
	CHECK(module_at(limit - 1) == m, "last byte");
	CHECK(module_at(start - 1) != m, "before");
	CHECK(module_at(limit) != m, "behind");
}

TEST(bad_addresses_have_no_module)
{
	int local = 0;

	modules_update();
	CHECK(!module_at(0), "0");
	CHECK(!module_at(1), "1");
	CHECK(!module_at(UINTPTR_MAX), "the last one");
	CHECK(!at(&local), "the stack");
}

TEST(the_vdso_is_a_module)
{
	uintptr_t vdso = getauxval(AT_SYSINFO_EHDR);
	const struct sampler_module *m;
	struct module_vdso image;

	if (!vdso)
		SKIP("no vdso here");
	modules_update();
	m = module_at(vdso + 0x800);
	CHECK(m && !strcmp(m->path, "[vdso]") && m->base == vdso, "%s", m ? m->path : "none");
	if (!m)
		return;
	CHECK(module_vdso(module_of(m), &image) && image.size > 4096, "%zu bytes", image.size);
	CHECK(!memcmp(image.image, "\177ELF", 4), "an ELF file");
	CHECK(!module_vdso(module_of(own()), &image), "the program is not");
}

/* Every executable mapping of a file lies in a module of that name, at that offset. */
TEST(agrees_with_proc_self_maps)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[PATH_MAX + 128], path[PATH_MAX];
	unsigned long start, limit;
	char perms[5];
	int seen = 0;

	modules_update();
	while (maps && fgets(line, sizeof(line), maps)) {
		const struct sampler_module *m;

		path[0] = '\0';
		if (sscanf(line, "%lx-%lx %4s %*x %*s %*u %4095s", &start, &limit, perms, path) < 3)
			continue;
		m = module_at(start);
		if (perms[2] != 'x' || (path[0] != '/' && strcmp(path, "[vdso]")))
			continue;
		seen++;
		CHECK(m && m->start <= start && m->limit >= limit, "%s", line);
		CHECK(m && !strcmp(m->path, path), "%s, not %s", m ? m->path : "none", path);
		CHECK(module_at(limit - 1) == m, "all of %s", line);
	}
	CHECK(seen >= 2, "%d of them", seen);
	if (maps)
		fclose(maps);
}

static void count(void *context, const struct sampler_module *m)
{
	int *nr = context;

	nr[0]++;
	nr[1] += m->is_native;
}

TEST(all_native_modules_can_be_listed)
{
	struct sampler_module made = { .start = 0x1000, .limit = 0x2000, .path = "made" };
	int nr[2] = { 0, 0 };

	modules_update();
	CHECK(!sampler_module_add(&made), "added");
	modules_each(count, nr);
	CHECK(nr[0] >= 2 && nr[0] == nr[1], "%d, of them native %d", nr[0], nr[1]);
}

TEST(added_modules_take_precedence)
{
	const struct sampler_module *native = own();
	uintptr_t middle = (uintptr_t)code(here);
	struct sampler_module made = { .start = middle, .limit = middle + 1, .path = "made",
				       .build_id = "ab", .is_native = true };
	unsigned long generation = modules_generation();
	const struct sampler_module *m;

	CHECK(!sampler_module_add(&made), "added");
	CHECK(modules_generation() != generation, "something has changed");
	m = module_at(middle);
	CHECK(m && m != native && !strcmp(m->path, "made") && !strcmp(m->build_id, "ab"), "%s",
	      m ? m->path : "none");
	CHECK(m && !m->is_native, "not native, whatever it says");
	CHECK(module_at(middle - 1) == native && module_at(middle + 1) == native, "beside it");
	CHECK(!sampler_module_remove(middle), "removed");
	CHECK(module_at(middle) == native, "as before");
}

TEST(added_modules_do_not_overlap)
{
	static const struct {
		uintptr_t start, limit;
		int err;
	} ranges[] = {
		{ 0x2000, 0x3000, 0 },
		{ 0x2000, 0x3000, -EEXIST },
		{ 0x1fff, 0x2001, -EEXIST },
		{ 0x2fff, 0x4000, -EEXIST },
		{ 0x1000, 0x4000, -EEXIST },
		{ 0x2100, 0x2200, -EEXIST },
		{ 0x3000, 0x4000, 0 },
		{ 0x1000, 0x2000, 0 },
		{ 0x5000, 0x5000, -EINVAL },
		{ 0x6000, 0x5000, -EINVAL },
	};

	for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
		struct sampler_module m = { .start = ranges[i].start, .limit = ranges[i].limit };
		int err = sampler_module_add(&m);

		CHECK(err == ranges[i].err, "%zu: %d", i, err);
	}
	CHECK(module_at(0x1fff)->start == 0x1000 && module_at(0x2000)->start == 0x2000 &&
		      module_at(0x3fff)->start == 0x3000 && !module_at(0x4000), "each its own");
}

TEST(added_modules_can_be_replaced_and_kept)
{
	struct sampler_module made = { .start = 0x1000, .limit = 0x2000, .path = "first" };
	const struct sampler_module *first, *second;

	modules_hold();
	CHECK(!sampler_module_add(&made), "added");
	first = module_at(0x1000);
	CHECK(!sampler_module_remove(0x1000), "removed");
	CHECK(sampler_module_remove(0x1000) == -ENOENT, "not twice");
	CHECK(!module_at(0x1000), "nothing there");
	made.path = "second";
	CHECK(!sampler_module_add(&made), "another");
	second = module_at(0x1000);
	CHECK(first != second && !strcmp(first->path, "first") && !strcmp(second->path, "second"),
	      "a frame keeps what it was: %s", first->path);
	modules_release();
	CHECK(module_at(0x1000) == second, "nobody's hold is needed for one that is there");
	CHECK(!sampler_module_remove(0x1000), "removed");
}

TEST(null_strings_are_empty_strings)
{
	struct sampler_module made = { .start = 0x1000, .limit = 0x2000 };

	CHECK(!sampler_module_add(&made), "added");
	CHECK(!strcmp(module_at(0x1000)->path, "") && !strcmp(module_at(0x1000)->build_id, ""),
	      "both");
	CHECK(!sampler_module_remove(0x1000), "removed");
}

TEST(libraries_are_found_while_they_are_loaded)
{
	unsigned long generation;
	const struct sampler_module *m, *again;
	struct tiny tiny;

	modules_hold();
	modules_update();
	generation = modules_generation();
	modules_update();
	CHECK(modules_generation() == generation, "nothing has happened");
	CHECK(!tiny_open("sampler_tiny.so", &tiny), "%s", dlerror());
	modules_update();
	CHECK(modules_generation() != generation, "something has");
	m = module_at((uintptr_t)tiny.call);
	CHECK(m && !strcmp(m->path, tiny.path), "%s", m ? m->path : "none");
	tiny_close(&tiny);
	modules_update();
	CHECK(!module_at((uintptr_t)tiny.call), "gone");
	CHECK(m && !strcmp(m->path, tiny.path) && atomic_load(&module_of(m)->is_gone),
	      "but a frame that has it still can name it");
	CHECK(!tiny_open("sampler_tiny.so", &tiny), "%s", dlerror());
	modules_update();
	again = module_at((uintptr_t)tiny.call);
	CHECK(again && !strcmp(again->path, tiny.path), "back again");
	CHECK(again && again->base == m->base ? again == m : 1, "at its place it is the same");
	tiny_close(&tiny);
	modules_update();
	modules_release();
}

/* A library at the address of an unloaded one is another module. */
TEST(a_library_at_anothers_address_is_another_module)
{
	const struct sampler_module *m, *n;
	struct tiny tiny, other;

	modules_hold();
	CHECK(!tiny_open("sampler_tiny.so", &tiny), "%s", dlerror());
	modules_update();
	m = module_at((uintptr_t)tiny.call);
	tiny_close(&tiny);
	CHECK(!tiny_open("sampler_other.so", &other), "%s", dlerror());
	modules_update();
	n = module_at((uintptr_t)other.call);
	CHECK(m && n && m != n, "two of them");
	CHECK(m && n && !strcmp(m->path, tiny.path) && !strcmp(n->path, other.path), "%s, %s",
	      m->path, n->path);
	CHECK(m && n && strcmp(m->build_id, n->build_id), "%s", n->build_id);
	tiny_close(&other);
	modules_release();
}

struct storm {
	atomic_uintptr_t call;
	atomic_bool is_over;
	int nr;
};

static void *open_and_close(void *context)
{
	struct storm *s = context;
	struct tiny tiny;

	for (int i = 0; i < s->nr; i++)
		if (!tiny_open(i & 1 ? "sampler_tiny.so" : "sampler_other.so", &tiny)) {
			atomic_store(&s->call, (uintptr_t)tiny.call);
			tiny_close(&tiny);
		}
	atomic_store(&s->is_over, true);
	return NULL;
}

static uint64_t cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

/* While another thread does the same, and with holders that never release. */
TEST(ten_thousand_loads_and_unloads_are_cheap)
{
	struct storm *storm = calloc(1, sizeof(*storm));
	size_t used = 0, last = 0, updates, found = 0;
	uint64_t first_ns = 0, last_ns = 0;
	pthread_t thread;
	struct tiny tiny;

	storm->nr = 5000;
	modules_hold();
	modules_update();
	CHECK(!pthread_create(&thread, NULL, open_and_close, storm), "a thread");
	while (!atomic_load(&storm->is_over)) {
		modules_update();
		module_at(atomic_load(&storm->call));
	}
	pthread_join(thread, NULL);
	for (updates = 0; updates < 5000; updates++) {
		uint64_t start = cpu_ns();

		if (tiny_open("sampler_tiny.so", &tiny))
			break;
		modules_update();
		found += module_at((uintptr_t)tiny.call) != NULL;
		tiny_close(&tiny);
		modules_update();
		last = mallinfo2().uordblks;
		*(updates < 1000 ? &first_ns : &last_ns) += cpu_ns() - start;
		if (updates == 999)
			used = last;
	}
	CHECK(found == 5000, "%zu times", found);
	CHECK(last < used + 100000, "%zu bytes at first, %zu at last", used, last);
	CHECK(last_ns / 4 < 5 * first_ns, "a thousand took %ju ns at first, %ju ns at last",
	      (uintmax_t)first_ns, (uintmax_t)last_ns / 4);
	CHECK(own(), "the program is where it was");
	modules_release();
	free(storm);
}

TEST(a_child_has_modules)
{
	int status = -1;
	pid_t child;

	modules_update();
	modules_before_fork();
	child = fork();
	modules_after_fork();
	if (!child) {
		modules_update();
		_exit(own() ? 0 : 1);
	}
	CHECK(waitpid(child, &status, 0) == child && !status, "status %x", status);
	CHECK(own(), "and the parent");
}

TEST_MAIN()
