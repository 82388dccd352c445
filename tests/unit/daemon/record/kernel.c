// SPDX-License-Identifier: GPL-2.0-or-later
/* kernel.c - which kernel image an address lies in, while modules are loaded and unloaded */
#include <inttypes.h>
#include "daemon/record/kernel.h"
#include "libdb/session/kernel_symbols.h"
#include "tests/tap.h"
#include "tests/unit/tmpdir.h"

static struct images *images;

static struct kernel *make_kernel(struct kernel_config config, const char *modules,
				  const char *kallsyms)
{
	static char modules_path[5000], kallsyms_path[5000];

	snprintf(modules_path, sizeof(modules_path), "%s", tmpdir_path("modules"));
	snprintf(kallsyms_path, sizeof(kallsyms_path), "%s", tmpdir_path("kallsyms"));
	put_text(modules_path, modules);
	put_text(kallsyms_path, kallsyms);
	config.proc_modules = modules_path;
	config.proc_kallsyms = kallsyms_path;
	images = images_new(NULL);
	return kernel_new(&config, images);
}

static void free_all(struct kernel *k)
{
	kernel_free(k);
	images_free(images);
}

/* Image and key of @pc, as "name:key". */
static const char *place(struct kernel *k, uint64_t pc)
{
	static char text[4][200];
	static unsigned int turn;
	const struct kernel_range *r = kernel_find(k, pc);
	char *t = text[turn++ % 4];

	CHECK(pc >= r->start && pc <= r->last, "%" PRIx64 " is not in %" PRIx64 "-%" PRIx64, pc,
	      r->start, r->last);
	snprintf(t, sizeof(text[0]), "%s:%" PRIx64, r->image ? r->image->path : "none",
		 pc - r->base);
	return t;
}

#define CHECK_PLACE(k, pc, want)                                                                   \
	do {                                                                                       \
		const char *got = place(k, pc);                                                    \
		CHECK(!strcmp(got, want), "%llx: want %s, got %s", (unsigned long long)(pc), want, \
		      got);                                                                        \
	} while (0)

TEST(symbols_mode)
{
	struct kernel *k;

	tmpdir_make();
	k = make_kernel((struct kernel_config) { .mode = KERNEL_SYMBOLS },
			"ext4 4096 1 - Live 0xffffffffc0010000\n"
			"jbd2 8192 1 ext4, Live 0xffffffffc0000000 (OE)\n"
			"hidden 100 0 - Live 0x0000000000000000\n"
			"not a module's line\n", "");
	CHECK_PLACE(k, 0xffffffff81000010, "kallsyms:ffffffff81000010");
	CHECK_PLACE(k, 0xffffffffc0000000, "jbd2:0");
	CHECK_PLACE(k, 0xffffffffc0001fff, "jbd2:1fff");
	CHECK_PLACE(k, 0xffffffffc0002000, "kallsyms:ffffffffc0002000");
	CHECK_PLACE(k, 0xffffffffc0010fff, "ext4:fff");
	CHECK_PLACE(k, 0xffffffffc0011000, "kallsyms:ffffffffc0011000");
	CHECK_PLACE(k, 0, "kallsyms:0");
	CHECK_PLACE(k, UINT64_MAX, "kallsyms:ffffffffffffffff");
	free_all(k);
}

TEST(no_vmlinux_has_no_modules)
{
	struct kernel *k;

	tmpdir_make();
	k = make_kernel((struct kernel_config){.mode = KERNEL_NO_VMLINUX},
			"ext4 4096 1 - Live 0xffffffffc0010000\n", "");
	kernel_module_range(k, true, 0xffffffffc0000000, 0x1000, "other");
	CHECK_PLACE(k, 0xffffffffc0010000, "no-vmlinux:ffffffffc0010000");
	CHECK_PLACE(k, 0xffffffffc0000000, "no-vmlinux:ffffffffc0000000");
	CHECK(!strcmp(kernel_symbols_word(k), "none"), "%s", kernel_symbols_word(k));
	free_all(k);
}

TEST(vmlinux_range)
{
	struct kernel *k;

	tmpdir_make();
	k = make_kernel((struct kernel_config){.mode = KERNEL_VMLINUX,
					       .vmlinux = "/boot/vmlinux",
					       .start = 0xffffffff81000000,
					       .end = 0xffffffff82000000},
			"ext4 4096 1 - Live 0xffffffffc0010000\n", "");
	CHECK_PLACE(k, 0xffffffff80ffffff, "none:ffffffff80ffffff");
	CHECK_PLACE(k, 0xffffffff81000000, "/boot/vmlinux:0");
	CHECK_PLACE(k, 0xffffffff81ffffff, "/boot/vmlinux:ffffff");
	CHECK_PLACE(k, 0xffffffff82000000, "none:ffffffff82000000");
	CHECK_PLACE(k, 0xffffffffc0010001, "ext4:1");
	kernel_read_modules(k);
	CHECK_PLACE(k, 0xffffffff81000000, "/boot/vmlinux:0");
	free_all(k);
}

TEST(unloaded_keeps_its_range_until_replaced)
{
	struct kernel *k;

	tmpdir_make();
	k = make_kernel((struct kernel_config) { .mode = KERNEL_SYMBOLS }, "", "");
	kernel_module_range(k, true, 0xc0001000, 0x1000, "first");
	kernel_read_modules(k);		/* no longer in /proc/modules */
	CHECK_PLACE(k, 0xc0001800, "first:800");
	kernel_module_range(k, false, 0xc0001000, 0x1000, "first");
	kernel_read_modules(k);
	CHECK_PLACE(k, 0xc0001800, "first:800");

	kernel_module_range(k, true, 0xc0001400, 0x200, "second");	/* in its middle */
	CHECK_PLACE(k, 0xc0001500, "second:100");
	CHECK_PLACE(k, 0xc0001300, "first:300");

	kernel_module_range(k, true, 0xc0000800, 0x1000, "third");	/* over its start */
	CHECK_PLACE(k, 0xc0000800, "third:0");
	CHECK_PLACE(k, 0xc0001300, "third:b00");
	CHECK_PLACE(k, 0xc0001500, "second:100");			/* still loaded */

	kernel_module_range(k, false, 0xc0000800, 0x1000, "third");
	kernel_module_range(k, true, 0xc0005000, 0x1000, "first");	/* again, elsewhere */
	CHECK_PLACE(k, 0xc0005001, "first:1");
	free_all(k);
}

TEST(the_note_has_the_text_size)
{
	struct kernel *k;

	tmpdir_make();
	k = make_kernel((struct kernel_config){.mode = KERNEL_SYMBOLS},
			"m 65536 0 - Live 0xc0000000\n", "");
	CHECK_PLACE(k, 0xc0008000, "m:8000");
	kernel_module_range(k, true, 0xc0000000, 0x1000, "m");
	CHECK_PLACE(k, 0xc0008000, "kallsyms:c0008000");
	kernel_read_modules(k);
	CHECK_PLACE(k, 0xc0008000, "kallsyms:c0008000");
	CHECK_PLACE(k, 0xc0000fff, "m:fff");
	free_all(k);
}

TEST(hostile_notes)
{
	struct kernel *k;

	tmpdir_make();
	k = make_kernel((struct kernel_config) { .mode = KERNEL_SYMBOLS }, "", "");
	kernel_module_range(k, true, 0xc0000000, 0x1000, "../../etc");
	kernel_module_range(k, true, 0xc0000000, 0x1000, "");
	kernel_module_range(k, true, 0xc0000000, 0, "empty");
	kernel_module_range(k, true, 0, 0x1000, "null");
	CHECK_PLACE(k, 0xc0000000, "kallsyms:c0000000");
	kernel_module_range(k, true, UINT64_MAX - 10, UINT64_MAX, "end");
	CHECK_PLACE(k, UINT64_MAX, "end:a");
	CHECK_PLACE(k, UINT64_MAX - 11, "kallsyms:fffffffffffffff4");
	kernel_module_range(k, true, 1, UINT64_MAX, "all");
	CHECK_PLACE(k, 5, "all:4");
	CHECK_PLACE(k, UINT64_MAX, "end:a");
	free_all(k);
}

/* Linux 6.4: the size is that of all memory, and other code lies between text and data. */
static const char scattered_modules[] =
	"opt 40960 0 - Live 0xffffffffc0100000 (OE)\n"
	"last 8192 0 - Live 0xffffffffc0200000\n";
static const char scattered_kallsyms[] =
	"ffffffff81000000 T _stext\n"
	"ffffffff81002000 T _etext\n"
	"ffffffffc0100010 t opt_one\t[opt]\n"
	"ffffffffc0100800 t opt_two\t[opt]\n"
	"ffffffffc0100800 t opt_alias\t[opt]\n"
	"ffffffffc0102ff0 t opt_last\t[opt]\n"
	"ffffffffc0107000 d opt_data\t[opt]\n"
	"ffffffffc0300000 t opt_start\t[opt]\n"
	"ffffffffc0200010 t last_one\t[last]\n"
	"ffffffffc0103000 t ftrace_trampoline\t[__builtin__ftrace]\n"
	"ffffffffc0101000 t kprobe_insn_page\t[__builtin__kprobes]\n"
	"ffffffffc0105040 t bpf_prog_6deef7357e7b4530_count\t[bpf]\n"
	"ffffffffc0105400 t bpf_trampoline_1\t[bpf]\n";

TEST(other_code_within_a_module)
{
	struct kernel *k;

	tmpdir_make();
	k = make_kernel((struct kernel_config){.mode = KERNEL_SYMBOLS}, scattered_modules,
			scattered_kallsyms);
	kernel_set_session(k, tmpdir);
	CHECK_PLACE(k, 0xffffffffc0100000, "opt:0");
	CHECK_PLACE(k, 0xffffffffc0100fff, "opt:fff");
	CHECK_PLACE(k, 0xffffffffc0101010, "[kprobes]:ffffffffc0101010");
	CHECK_PLACE(k, 0xffffffffc0102fff, "opt:2fff");
	CHECK_PLACE(k, 0xffffffffc0103010, "[ftrace]:ffffffffc0103010");
	CHECK_PLACE(k, 0xffffffffc0104000, "kallsyms:ffffffffc0104000");
	CHECK_PLACE(k, 0xffffffffc010503f, "kallsyms:ffffffffc010503f");
	CHECK_PLACE(k, 0xffffffffc0105040, "bpf_prog_6deef7357e7b4530_count:0");
	CHECK_PLACE(k, 0xffffffffc01053ff, "bpf_prog_6deef7357e7b4530_count:3bf");
	CHECK_PLACE(k, 0xffffffffc0105400, "[bpf]:ffffffffc0105400");
	CHECK_PLACE(k, 0xffffffffc0106fff, "[bpf]:ffffffffc0106fff");
	CHECK_PLACE(k, 0xffffffffc0107000, "kallsyms:ffffffffc0107000");
	CHECK_PLACE(k, 0xffffffffc0200fff, "last:fff");
	CHECK_PLACE(k, 0xffffffffc0201000, "kallsyms:ffffffffc0201000");
	CHECK_PLACE(k, 0xffffffffc0300020, "[opt.init]:ffffffffc0300020");
	CHECK_PLACE(k, 0xffffffff81000010, "kallsyms:ffffffff81000010");
	free_all(k);
}

/* The module's note is exact: its last function may be longer than its page. */
TEST(the_note_is_better_than_kallsyms)
{
	struct kernel *k;

	tmpdir_make();
	k = make_kernel((struct kernel_config){.mode = KERNEL_SYMBOLS}, scattered_modules,
			scattered_kallsyms);
	kernel_set_session(k, tmpdir);
	kernel_module_range(k, true, 0xffffffffc0200000, 0x1800, "last");
	CHECK_PLACE(k, 0xffffffffc02017ff, "last:17ff");
	CHECK_PLACE(k, 0xffffffffc0201800, "kallsyms:ffffffffc0201800");
	/* the perf collector's note has the size of /proc/modules, which is no news */
	kernel_module_range(k, true, 0xffffffffc0100000, 40960, "opt");
	CHECK_PLACE(k, 0xffffffffc0104000, "kallsyms:ffffffffc0104000");
	free_all(k);
}

TEST(text_for_start_up)
{
	struct kernel *k;

	tmpdir_make();
	k = make_kernel((struct kernel_config) { .mode = KERNEL_SYMBOLS }, "", "");
	kernel_set_session(k, tmpdir);
	kernel_module_range(k, true, 0xc0400000, 0x1000, "new.init");
	kernel_module_range(k, true, 0xc0300000, 0x1000, "new");
	put_text(tmpdir_path("modules"), "new 4096 1 - Loading 0xc0300000\n");
	kernel_read_modules(k);
	CHECK_PLACE(k, 0xc0400010, "[new.init]:c0400010");
	CHECK_PLACE(k, 0xc0300010, "new:10");
	kernel_module_range(k, false, 0xc0400000, 0x1000, "new.init");
	CHECK_PLACE(k, 0xc0400010, "kallsyms:c0400010");	/* that memory is free */
	free_all(k);
}

/* A module where a BPF program might have gone on; another is between its text and its data. */
TEST(a_module_ends_generated_code)
{
	struct kernel *k;

	tmpdir_make();
	k = make_kernel((struct kernel_config) { .mode = KERNEL_SYMBOLS }, "",
			"ffffffffc0105040 t bpf_prog_6deef7357e7b4530_count\t[bpf]\n"
			"ffffffffc0108800 t bpf_prog_0123456789abcdef_within\t[bpf]\n");
	kernel_set_session(k, tmpdir);
	CHECK_PLACE(k, 0xffffffffc0108000, "bpf_prog_6deef7357e7b4530_count:2fc0");
	kernel_module_range(k, true, 0xffffffffc0107000, 0x2000, "new");
	CHECK_PLACE(k, 0xffffffffc0106fff, "bpf_prog_6deef7357e7b4530_count:1fbf");
	CHECK_PLACE(k, 0xffffffffc0108000, "new:1000");
	CHECK_PLACE(k, 0xffffffffc0108800, "bpf_prog_0123456789abcdef_within:0");
	free_all(k);
}

#define LONG_NAME	"a_name_that_is_longer_than_what_a_note_has_room_for"

/* The program that was there before has the samples before, and its own name for them. */
TEST(bpf_programs_at_the_same_address)
{
	struct kernel *k;

	tmpdir_make();
	k = make_kernel((struct kernel_config) { .mode = KERNEL_SYMBOLS }, "",
			"ffffffffc0105040 t bpf_prog_6deef7357e7b4530_old\t[bpf]\n"
			"ffffffffc0105400 t bpf_prog_6deef7357e7b4530_kept\t[bpf]\n");
	kernel_set_session(k, tmpdir);
	CHECK_PLACE(k, 0xffffffffc0105050, "bpf_prog_6deef7357e7b4530_old:10");
	kernel_module_range(k, true, 0xffffffffc0105080, 0x100, "bpf_prog_0123456789abcdef_new");
	CHECK_PLACE(k, 0xffffffffc0105050, "bpf_prog_6deef7357e7b4530_old:10");
	CHECK_PLACE(k, 0xffffffffc0105080, "bpf_prog_0123456789abcdef_new:0");
	CHECK_PLACE(k, 0xffffffffc010517f, "bpf_prog_0123456789abcdef_new:ff");
	CHECK_PLACE(k, 0xffffffffc0105180, "bpf_prog_6deef7357e7b4530_old:140");
	CHECK_PLACE(k, 0xffffffffc0105400, "bpf_prog_6deef7357e7b4530_kept:0");
	/* kallsyms is as it was: that was before the note, or long after it */
	kernel_capture_now(k);
	CHECK_PLACE(k, 0xffffffffc0105090, "bpf_prog_0123456789abcdef_new:10");
	kernel_module_range(k, false, 0xffffffffc0105080, 0x100, "bpf_prog_0123456789abcdef_new");
	CHECK_PLACE(k, 0xffffffffc0105090, "kallsyms:ffffffffc0105090");
	kernel_module_range(k, true, 0xffffffffc0105000, 0x500, "bpf_prog_fedcba9876543210_last");
	CHECK_PLACE(k, 0xffffffffc01054ff, "bpf_prog_fedcba9876543210_last:4ff");
	CHECK_PLACE(k, 0xffffffffc0105500, "bpf_prog_6deef7357e7b4530_kept:100");
	/* over the start of one whose end was not noted, and kallsyms is read again */
	kernel_module_range(k, true, 0xffffffffc0104f00, 0x200, "bpf_prog_00000000000000aa_over");
	kernel_capture_now(k);
	CHECK_PLACE(k, 0xffffffffc0105000, "bpf_prog_00000000000000aa_over:100");
	CHECK_PLACE(k, 0xffffffffc0105200, "bpf_prog_6deef7357e7b4530_old:1c0");
	kernel_module_range(k, true, 0xffffffffc0200000, 0x10,
			    "bpf_prog_0123456789abcdef_" LONG_NAME);
	CHECK_PLACE(k, 0xffffffffc020000f,
		    "bpf_prog_0123456789abcdef_a_name_that_is_longer_than_what_a_not:f");
	kernel_module_range(k, true, 0, 0x10, "bpf_prog_0123456789abcdef_null");
	kernel_module_range(k, true, UINT64_MAX - 1, 0x10, "bpf_prog_0123456789abcdef_end");
	CHECK_PLACE(k, UINT64_MAX, "kallsyms:ffffffffffffffff");
	free_all(k);
}

/* Far more than are kept in memory; those that are loaded are. */
TEST(many_bpf_programs)
{
	struct kernel *k;
	char name[64];

	tmpdir_make();
	k = make_kernel((struct kernel_config) { .mode = KERNEL_SYMBOLS }, "",
			"ffffffff81000000 T _stext\nffffffff81002000 T _etext\n");
	kernel_set_session(k, tmpdir);
	kernel_module_range(k, true, 0xffffffffc0100000, 0x100, "bpf_prog_0123456789abcdef_first");
	for (unsigned int i = 0; i < 5000; i++) {
		snprintf(name, sizeof(name), "bpf_prog_%016x_n", i);
		kernel_module_range(k, true, 0xffffffffc0200000, 0x100, name);
		if (i % 1000 == 0)
			kernel_capture_now(k);
	}
	CHECK_PLACE(k, 0xffffffffc0100010, "bpf_prog_0123456789abcdef_first:10");
	CHECK_PLACE(k, 0xffffffffc0200010, "bpf_prog_0000000000001387_n:10");
	free_all(k);
}

TEST(malformed_kallsyms)
{
	struct kernel *k;

	tmpdir_make();
	k = make_kernel((struct kernel_config) { .mode = KERNEL_SYMBOLS }, "",
			"]\n[]\nffffffffc0105040]\nffffffffc0105040 t [bpf]\n"
			"ffffffffffffffff t end\t[bpf]\nffffffffc0105040 t x\t[../a]\n"
			"0 t nothing\t[bpf]\nffffffffc0105040 t open\t[bpf");
	kernel_set_session(k, tmpdir);
	CHECK_PLACE(k, 0xffffffffc0105040, "kallsyms:ffffffffc0105040");
	CHECK_PLACE(k, UINT64_MAX, "[bpf]:ffffffffffffffff");
	CHECK_PLACE(k, 0, "kallsyms:0");
	free_all(k);
}

static const char kallsyms[] =
	"ffffffff81000000 T _stext\n"
	"ffffffff81000100 t one\n"
	"ffffffff81002000 T _etext\n"
	"ffffffffc0010010 t mod_fn\t[ext4]\n";

TEST(symbols_are_saved)
{
	struct kernel_symbols symbols;
	const struct kernel_part *part;
	struct op_error e = { "" };
	struct kernel *k;

	tmpdir_make();
	k = make_kernel((struct kernel_config){.mode = KERNEL_SYMBOLS},
			"ext4 4096 1 - Live 0xffffffffc0010000\n", kallsyms);
	kernel_set_session(k, tmpdir);
	CHECK(!strcmp(kernel_symbols_word(k), "kallsyms"), "%s", kernel_symbols_word(k));
	CHECK(!kernel_symbols_read(tmpdir_path("kernel-symbols"), &symbols, &e), "%s", e.text);
	part = kernel_symbols_part(&symbols, "ext4");
	CHECK(part && part->nr_symbols == 1, "the module's part");
	kernel_symbols_free(&symbols);

	/* nothing was loaded: nothing is written */
	unlink(tmpdir_path("kernel-symbols"));
	kernel_capture_now(k);
	CHECK(!file_exists(tmpdir_path("kernel-symbols")), "captured without need");
	/* just after a capture, another is made only if it cannot wait */
	kernel_module_range(k, true, 0xffffffffc0020000, 0x1000, "late");
	kernel_capture_due(k);
	CHECK(!file_exists(tmpdir_path("kernel-symbols")), "captured too soon");
	kernel_capture_now(k);
	CHECK(file_exists(tmpdir_path("kernel-symbols")), "not captured");
	free_all(k);
}

TEST(symbols_of_unloaded_modules_stay)
{
	struct kernel_symbols symbols;
	const struct kernel_part *part;
	struct op_error e = { "" };
	struct kernel *k;

	tmpdir_make();
	k = make_kernel((struct kernel_config){.mode = KERNEL_SYMBOLS},
			"ext4 4096 1 - Live 0xffffffffc0010000\n", kallsyms);
	kernel_set_session(k, tmpdir);
	for (int i = 0; i < 3; i++) {	/* ext4 is unloaded, "ext" loaded again and again */
		put_text(tmpdir_path("modules"), "ext 4096 1 - Live 0xffffffffc0030000\n");
		put_text(tmpdir_path("kallsyms"),
			 "ffffffff81000000 T _stext\nffffffff81002000 T _etext\n"
			 "ffffffffc0030020 t two\t[ext]\n");
		kernel_module_range(k, true, 0xffffffffc0030000 + i * 0x100000, 0x1000, "ext");
		kernel_capture_now(k);
	}
	CHECK(!kernel_symbols_read(tmpdir_path("kernel-symbols"), &symbols, &e), "%s", e.text);
	CHECK(symbols.nr_parts == 3, "%zu parts", symbols.nr_parts);
	part = kernel_symbols_part(&symbols, "ext4");
	CHECK(part && part->nr_symbols == 1 && !strcmp(part->symbols[0].name, "mod_fn"),
	      "the part of ext4");
	part = kernel_symbols_part(&symbols, "ext");
	CHECK(part && part->nr_symbols == 1 && !strcmp(part->symbols[0].name, "two"),
	      "the part of ext");
	kernel_symbols_free(&symbols);
	free_all(k);
}

static bool has_symbol(const char *name)
{
	struct kernel_symbols symbols;
	bool has = false;

	if (kernel_symbols_read(tmpdir_path("kernel-symbols"), &symbols, NULL))
		return false;
	for (size_t p = 0; p < symbols.nr_parts; p++)
		for (size_t i = 0; i < symbols.parts[p].nr_symbols; i++)
			has |= !strcmp(symbols.parts[p].symbols[i].name, name);
	kernel_symbols_free(&symbols);
	return has;
}

#define TEXT	"ffffffff81000000 T _stext\nffffffff81002000 T _etext\n"

/* BPF programs have parts of their own, trampolines are in the kernel's, once one is sampled. */
TEST(generated_code_has_symbols)
{
	struct kernel *k;

	tmpdir_make();
	k = make_kernel((struct kernel_config) { .mode = KERNEL_SYMBOLS }, "", TEXT);
	kernel_set_session(k, tmpdir);
	put_text(tmpdir_path("kallsyms"), TEXT
		 "ffffffffc0201000 t bpf_prog_6deef7357e7b4530_count\t[bpf]\n"
		 "ffffffffc0202000 t ftrace_trampoline\t[__builtin__ftrace]\n");
	kernel_note_sample(k, 0xffffffff81000100);
	kernel_capture_now(k);
	CHECK(has_symbol("_stext") && !has_symbol("ftrace_trampoline"), "captured without need");
	kernel_note_sample(k, 0xffffffffc0201010);
	kernel_capture_now(k);
	CHECK(has_symbol("bpf_prog_6deef7357e7b4530_count"), "a BPF program");
	CHECK(has_symbol("ftrace_trampoline"), "a trampoline");
	put_text(tmpdir_path("kallsyms"), TEXT
		 "ffffffffc0202000 t ftrace_trampoline\t[__builtin__ftrace]\n"
		 "ffffffffc0203000 t bpf_prog_new\t[bpf]\n");
	kernel_note_sample(k, 0xffffffffc0203010);
	kernel_capture_now(k);
	CHECK(has_symbol("bpf_prog_6deef7357e7b4530_count"), "an unloaded BPF program");
	CHECK(has_symbol("ftrace_trampoline") && has_symbol("bpf_prog_new"), "a new one");
	unlink(tmpdir_path("kernel-symbols"));
	kernel_note_sample(k, 0xffffffffc0201020);
	kernel_capture_now(k);
	CHECK(!file_exists(tmpdir_path("kernel-symbols")), "captured again for the same page");
	/* loaded and unloaded between two captures */
	kernel_module_range(k, true, 0xffffffffc0300000, 0x100, "bpf_prog_0123456789abcdef_brief");
	kernel_module_range(k, false, 0xffffffffc0300000, 0x100, "bpf_prog_0123456789abcdef_brief");
	kernel_capture_now(k);
	CHECK(has_symbol("bpf_prog_0123456789abcdef_brief"), "a program by its note");
	unlink(tmpdir_path("kernel-symbols"));
	kernel_module_range(k, true, 0xffffffffc0301000, 0x100, "bpf_prog_0123456789abcdef_brief");
	kernel_capture_now(k);
	CHECK(!file_exists(tmpdir_path("kernel-symbols")), "captured again for a known program");
	free_all(k);
}

TEST(another_boot_is_detected)
{
	struct kernel *k;

	tmpdir_make();
	k = make_kernel((struct kernel_config) { .mode = KERNEL_SYMBOLS }, "", kallsyms);
	CHECK(kernel_fits_session(k, tmpdir), "a new session");
	kernel_set_session(k, tmpdir);
	CHECK(kernel_fits_session(k, tmpdir), "the same kernel at the same address");
	put_text(tmpdir_path("kallsyms"), "0000000000000000 A fixed\nffffffff9a000000 T _stext\n"
		 "ffffffff9a002000 T _etext\n");
	CHECK(!kernel_fits_session(k, tmpdir), "the kernel at another address");
	put_text(tmpdir_path("kallsyms"), "0000000000000000 T _stext\n");
	CHECK(kernel_fits_session(k, tmpdir), "hidden addresses");
	free_all(k);
}

TEST(hidden_addresses)
{
	struct kernel *k;

	tmpdir_make();
	k = make_kernel((struct kernel_config){.mode = KERNEL_SYMBOLS},
			"ext4 4096 1 - Live 0x0000000000000000\n",
			"0000000000000000 T _stext\n0000000000000000 t one\n");
	kernel_set_session(k, tmpdir);
	CHECK(!strcmp(kernel_symbols_word(k), "hidden"), "%s", kernel_symbols_word(k));
	CHECK_PLACE(k, 0xffffffffc0010010, "kallsyms:ffffffffc0010010");
	free_all(k);
}

TEST_MAIN()
