// SPDX-License-Identifier: GPL-2.0-or-later
/* vmlinux.c - kernel images for --vmlinux=, and their address ranges */
#include <errno.h>
#include "control/machine/vmlinux.h"
#include "control/opcontrol/setup.h"
#include "libutil/xalloc.h"
#include "tests/tap.h"
#include "tests/unit/kernel_elf.h"
#include "tests/unit/tmpdir.h"

static const struct kernel_elf kernel = { { "_stext", "_etext" }, { 0x100, 0x900 }, false };
static const struct kernel_elf kernel_text = { { "_text" }, { 0 }, false };
static const struct kernel_elf stripped = { { NULL }, { 0 }, false };
static const struct kernel_elf program = { { "_stext", "_etext" }, { 0, 0x900 }, true };

static char *image(const struct kernel_elf *k)
{
	char *path = tmpdir_path("vmlinux");

	CHECK(kernel_elf_write(path, k), "%s", elf_errmsg(-1));
	return path;
}

TEST(kernel_images)
{
	const struct {
		const struct kernel_elf *elf;
		int err, err_with_range;
		const char *message;
	} cases[] = {
		{ &kernel, 0, 0, "" },
		{ &kernel_text, 0, 0, "" },
		{ &stripped, -ENOEXEC, 0, "--kernel-range" },
		{ &program, -ENOEXEC, -ENOEXEC, "is a program" },
	};

	tmpdir_make();
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *path = image(cases[i].elf);
		struct op_error e = { "" };

		CHECK(vmlinux_check(path, false, &e) == cases[i].err, "case %zu: %s", i, e.text);
		CHECK(strstr(e.text, cases[i].message), "case %zu: %s", i, e.text);
		CHECK(vmlinux_check(path, true, &e) == cases[i].err_with_range, "case %zu: %s", i,
		      e.text);
	}
}

TEST(files_that_are_not_kernel_images)
{
	const char *const paths[] = { "/proc/self/exe", "/proc/version", "/bin/sh" };

	for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
		struct op_error e = { "" };

		CHECK(vmlinux_check(paths[i], true, &e) == -ENOEXEC && e.text[0], "%s: %s",
		      paths[i], e.text);
	}
}

TEST(address_range)
{
	uint64_t start = 0, end = 0;
	struct op_error e = { "" };
	char *kallsyms, *path;

	tmpdir_make();
	kallsyms = tmpdir_path("kallsyms");
	path = image(&kernel);
	put_text(kallsyms, "0000000000000000 T _stext\n");
	CHECK(!vmlinux_range(path, kallsyms, &start, &end, &e), "%s", e.text);
	CHECK(start == KERNEL_TEXT && end == KERNEL_TEXT + 0x900, "hidden: %llx %llx",
	      (unsigned long long)start, (unsigned long long)end);
	put_text(kallsyms, "ffffffff83000000 T _text\nffffffff83000100 T _stext\n");
	CHECK(!vmlinux_range(path, kallsyms, &start, &end, &e), "%s", e.text);
	CHECK(start == KERNEL_TEXT + 0x2000000 && end == start + 0x900, "moved: %llx %llx",
	      (unsigned long long)start, (unsigned long long)end);
	path = image(&kernel_text);
	CHECK(!vmlinux_range(path, kallsyms, &start, &end, &e), "%s", e.text);
	CHECK(start == KERNEL_TEXT + 0x2000000 && end == start + KERNEL_TEXT_SIZE,
	      "by _text, to the section's end: %llx %llx", (unsigned long long)start,
	      (unsigned long long)end);
	CHECK(vmlinux_range(image(&stripped), kallsyms, &start, &end, &e) == -ENOEXEC, "stripped");
	CHECK(vmlinux_range("/proc/version", kallsyms, &start, &end, &e) == -ENOEXEC, "not ELF");
}

/* In any order; a saved range is valid only for its image. */
TEST(options_vmlinux_and_kernel_range)
{
	struct setting options[] = { { SET_KERNEL_RANGE, (char *)"1000,2000" },
				     { SET_VMLINUX, NULL } };
	struct setting no_vmlinux = { SET_NO_VMLINUX, NULL };
	struct op_error e = { "" };
	struct setup s;

	tmpdir_make();
	setup_init(&s);
	options[1].value = image(&stripped);
	CHECK(!setup_set(&s, options, 2, &e), "%s", e.text);
	CHECK(s.kernel_start == 0x1000 && s.kernel_end == 0x2000, "the range is lost");
	CHECK(setup_set(&s, options + 1, 1, &e) == -ENOEXEC, "a stripped one without");
	CHECK(!setup_set(&s, &no_vmlinux, 1, &e) && !s.kernel_end, "the range stays");
	image(&kernel);
	CHECK(!setup_set(&s, options + 1, 1, &e), "%s", e.text);
	image(&program);
	CHECK(setup_set(&s, options, 2, &e) == -ENOEXEC, "a program");
	setup_free(&s);
}

TEST_MAIN()
