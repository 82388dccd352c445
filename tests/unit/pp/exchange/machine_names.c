// SPDX-License-Identifier: GPL-2.0-or-later
/* machine_names.c - names of the kernel and generated code of a made-up machine [IM-11] */
#include <stdlib.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "libutil/file.h"
#include "libutil/xalloc.h"
#include "pp/exchange/import/images.h"
#include "pp/exchange/import/machine_names.h"
#include "tests/tap.h"
#include "tests/unit/tmpdir.h"

#define START		UINT64_C(0xffffffff81000000)
#define BUILD_ID	"abcdef0123456789abcdef0123456789abcdef01"

static void put_below(const char *name, const void *bytes, size_t size)
{
	char *path = xstrdup(tmpdir_path(name)), *slash = strrchr(path, '/');

	*slash = '\0';
	CHECK(!file_make_dirs(path, 0755), "%s", path);
	*slash = '/';
	CHECK(!file_write_atomic(path, bytes, size, 0644), "%s", path);
	free(path);
}

static void put_machine(void)
{
	static const unsigned char notes[] = {
		4, 0, 0, 0, 20, 0, 0, 0, 3, 0, 0, 0, 'G', 'N', 'U', 0,
		0xab, 0xcd, 0xef, 0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd,
		0xef, 0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef, 0x01,
	};
	static const char kallsyms[] =
		"ffffffff81000000 T _text\nffffffff81001000 t work\nffffffff81002000 D data\n"
		"ffffffff81003000 T last\nffffffffc0000000 t module_work\t[module]\n";

	tmpdir_make();
	put_below("sys/kernel/notes", notes, sizeof(notes));
	put_below("proc/kallsyms", kallsyms, sizeof(kallsyms) - 1);
}

static uint32_t add(struct profile *p, enum profile_image_kind kind, const char *path,
		    const char *build_id, uint64_t start, uint64_t address)
{
	struct profile_image image = { .kind = kind, .path = profile_string(p, path),
				       .build_id = profile_string(p, build_id), .start = start,
				       .limit = start ? start + 0x100000 : 0 };

	return profile_place(p, profile_add_image(p, &image), address, NULL, 0);
}

static const char *name_of(const struct profile *p, uint32_t place)
{
	const struct profile_line_list lines = p->line_lists[p->places[place].lines];

	return lines.nr ? profile_text(p, p->functions[p->lines[lines.first].function].name) : "";
}

static void name_all(struct profile *p, const char *notice)
{
	struct notices notices = { 0 };
	const char *root = tmpdir_path(".");

	import_machine_names(p, root, &notices);
	CHECK(notice ? notices.nr == 1 && strstr(notices.texts[0], notice) : !notices.nr, "%s",
	      notices.nr ? notices.texts[0] : "no notice");
	notices_free(&notices);
}

TEST(the_running_kernel)
{
	struct profile *p = profile_new();
	uint32_t kernel = add(p, PROFILE_KERNEL, "[kernel.kallsyms]", BUILD_ID, START,
			      START + 0x2345);
	uint32_t module = add(p, PROFILE_KERNEL_MODULE, "[module]", "", 0xffffffffc0000000,
			      0xffffffffc0000010);

	put_machine();
	name_all(p, NULL);
	CHECK(!strcmp(name_of(p, kernel), "work"), "%s", name_of(p, kernel));
	CHECK(!strcmp(name_of(p, module), "module_work"), "%s", name_of(p, module));
	profile_free(p);
	tmpdir_remove();
}

/* After a reboot the kernel is elsewhere, and modules may be anywhere. */
TEST(the_same_kernel_of_another_boot)
{
	struct profile *p = profile_new();
	uint64_t start = START + (UINT64_C(7) << 21);
	uint32_t kernel = add(p, PROFILE_KERNEL, "[kernel.kallsyms]", BUILD_ID, start,
			      start + 0x3001);
	uint32_t module = add(p, PROFILE_KERNEL_MODULE, "[module]", "", 0xffffffffc0000000,
			      0xffffffffc0000010);

	put_machine();
	name_all(p, NULL);
	CHECK(!strcmp(name_of(p, kernel), "last"), "%s", name_of(p, kernel));
	CHECK(!strcmp(name_of(p, module), ""), "%s", name_of(p, module));
	profile_free(p);
	tmpdir_remove();
}

TEST(another_kernel)
{
	struct profile *p = profile_new();
	uint32_t kernel = add(p, PROFILE_KERNEL, "[kernel.kallsyms]", "1234", START,
			      START + 0x1000);

	put_machine();
	name_all(p, "no vmlinux with build ID 1234 was found");
	CHECK(!strcmp(name_of(p, kernel), ""), "%s", name_of(p, kernel));
	profile_free(p);
	tmpdir_remove();
}

static uint32_t named(struct profile *p, uint32_t image, uint64_t address, const char *name)
{
	struct profile_function f = { .name = profile_string(p, name) };
	struct profile_line line = { .line = 0 };

	f.system_name = f.name;
	line.function = profile_function(p, &f);
	return profile_place(p, image, address, &line, 1);
}

/* A file of these functions, with the build ID "1234". */
static void put_vmlinux(void)
{
	struct profile *p = profile_new();
	struct profile_image image = { .path = profile_string(p, "/vmlinux"),
				       .build_id = profile_string(p, "1234") };
	struct imported imported = { 0 };
	struct import_images images;
	uint32_t at = profile_add_image(p, &image);

	named(p, at, START, "_text");
	named(p, at, START + 0x1000, "of_vmlinux");
	import_images_make(p, &imported, &images);
	import_images_group(p, &images);
	put_below("boot/vmlinux-1", "", 0);
	CHECK(import_names_write(p, &images, images.of_image[at], tmpdir_path("boot/vmlinux-1")) ==
	      1, "vmlinux");
	import_images_free(&images);
	imported_free(&imported);
	profile_free(p);
}

/* By its build ID; the kernel that ran was two steps above where it is linked. */
TEST(a_vmlinux)
{
	struct profile *p = profile_new();
	uint64_t start = START + (UINT64_C(2) << 21);
	uint32_t kernel = add(p, PROFILE_KERNEL, "[kernel.kallsyms]", "1234", start,
			      start + 0x1000);

	put_machine();
	put_vmlinux();
	name_all(p, NULL);
	CHECK(!strcmp(name_of(p, kernel), "of_vmlinux"), "%s", name_of(p, kernel));
	profile_free(p);
	tmpdir_remove();
}

/* perf record -B: release, host and address must do. */
TEST(a_kernel_without_build_id)
{
	for (int is_known = 0; is_known < 2; is_known++) {
		struct profile *p = profile_new();
		uint32_t kernel = add(p, PROFILE_KERNEL, "[kernel.kallsyms]", "", START,
				      START + 0x1000);
		struct utsname name;
		char *text;

		put_machine();
		uname(&name);
		text = xasprintf("kernel: %s", name.release);
		profile_comment(p, text);
		free(text);
		text = xasprintf("host: %s", is_known ? name.nodename : "other");
		profile_comment(p, text);
		free(text);
		name_all(p, is_known ? NULL : "the profile has no build ID of the kernel");
		CHECK(!strcmp(name_of(p, kernel), is_known ? "work" : ""), "%s",
		      name_of(p, kernel));
		profile_free(p);
		tmpdir_remove();
	}
}

TEST(hidden_addresses)
{
	static const char hidden[] = "0000000000000000 T _text\n0000000000000000 t work\n";
	struct profile *p = profile_new();

	add(p, PROFILE_KERNEL, "[kernel.kallsyms]", BUILD_ID, START, START + 0x1000);
	put_machine();
	put_below("proc/kallsyms", hidden, sizeof(hidden) - 1);
	name_all(p, "/proc/kallsyms hides addresses");
	profile_free(p);
	tmpdir_remove();
}

TEST(code_made_at_run_time)
{
	static const char map[] = "5000 10 first\nnot a symbol\n5010 20 two words\n6000 0 none\n";
	struct profile *p = profile_new();
	uint32_t first = add(p, PROFILE_JIT, "/tmp/perf-7.map", "", 0, 0x500f), second, other;
	uint32_t image = p->places[first].image;

	second = profile_place(p, image, 0x5010, NULL, 0);
	other = profile_place(p, image, 0x5030, NULL, 0);
	tmpdir_make();
	put_below("tmp/perf-7.map", map, sizeof(map) - 1);
	name_all(p, NULL);
	CHECK(!strcmp(name_of(p, first), "first"), "%s", name_of(p, first));
	CHECK(!strcmp(name_of(p, second), "two words"), "%s", name_of(p, second));
	CHECK(!strcmp(name_of(p, other), ""), "%s", name_of(p, other));
	profile_free(p);
	tmpdir_remove();
}

TEST_MAIN()
