// SPDX-License-Identifier: GPL-2.0-or-later
/* daemonrc.c - read and write the saved set-up */
#include <errno.h>
#include <sys/stat.h>
#include "control/opcontrol/daemonrc.h"
#include "libutil/file.h"
#include "libutil/xalloc.h"
#include "tests/tap.h"
#include "tests/unit/tmpdir.h"

#define NR(a) (sizeof(a) / sizeof((a)[0]))

static const char defaults[] =
	"SESSION_DIR=/var/lib/oprofile\n"
	"NR_CHOSEN=0\n"
	"SEPARATE_LIB=0\n"
	"SEPARATE_KERNEL=0\n"
	"SEPARATE_THREAD=0\n"
	"SEPARATE_CPU=0\n"
	"VMLINUX=none\n"
	"IMAGE_FILTER=\n"
	"CPU_BUF_SIZE=0\n"
	"CALLGRAPH=0\n"
	"XENIMAGE=none\n";

static const char exact[] =
	"SESSION_DIR=/var/lib/oprofile\n"
	"NR_CHOSEN=0\n"
	"MAX_COST=none\n"
	"SEPARATE_LIB=0\n"
	"SEPARATE_KERNEL=0\n"
	"SEPARATE_THREAD=0\n"
	"SEPARATE_CPU=0\n"
	"VMLINUX=\n"
	"IMAGE_FILTER=\n"
	"CPU_BUF_SIZE=0\n"
	"CALLGRAPH=0\n"
	"XENIMAGE=none\n";

static const char everything[] =
	"SESSION_DIR=/tmp/a-b.c\n"
	"CHOSEN_EVENTS_0=CPU_CLK_UNHALTED:90000:0:1:1\n"
	"CHOSEN_EVENTS_1=LLC:500:79:0:1\n"
	"CHOSEN_EVENTS_2=INT_MISC:2000000:recovery_cycles:1:1\n"
	"NR_CHOSEN=3\n"
	"RATE=250\n"
	"MAX_COST=2.5\n"
	"SEPARATE_LIB=1\n"
	"SEPARATE_KERNEL=0\n"
	"SEPARATE_THREAD=1\n"
	"SEPARATE_CPU=0\n"
	"VMLINUX=/boot/vmlinux-6.1\n"
	"IMAGE_FILTER=/bin/sh,/bin/ls\n"
	"BUF_SIZE=65536\n"
	"BUF_WATERSHED=1024\n"
	"CPU_BUF_SIZE=8192\n"
	"CALLGRAPH=16\n"
	"CALL_ARCS=yes\n"
	"UNWIND=fp\n"
	"UNWIND_MEMORY=128\n"
	"HISTORY=30d\n"
	"QUOTA=4G\n"
	"SLICE=10s\n"
	"KERNEL_RANGE=ffffffff81000000,ffffffff81e00000\n"
	"XENIMAGE=none\n"
	"COLLECTOR=perf\n"
	"MODEL=timer\n";

/* CTL-82: the exact file after "opcontrol --no-vmlinux", and one with every key. */
TEST(writes_the_keys_in_order)
{
	struct setting no_vmlinux = { SET_NO_VMLINUX, NULL };
	struct strbuf text = STRBUF_INIT;
	struct setup s;

	setup_init(&s);
	CHECK(!setup_set(&s, &no_vmlinux, 1, NULL), "set");
	daemonrc_format(&s, &text);
	CHECK(!strcmp(text.text, defaults), "got:\n%s", text.text);
	strbuf_free(&text);
	setup_free(&s);
}

/* The package's set-up of the service is read if nothing was saved. */
TEST(default_of_the_service)
{
	char *rc, *service, *text = NULL;
	struct setup s;
	size_t n;

	tmpdir_make();
	rc = strdup(tmpdir_path("saved"));
	service = strdup(tmpdir_path("share"));
	CHECK(!setenv("OPROFILE_EVENTS_DIR", service, 1), "setenv");
	setup_init(&s);
	CHECK(!daemonrc_load_service(rc, &s, NULL) && !*s.history && !s.rate, "no package");
	CHECK(!file_make_dirs(service, 0755) &&
	      !file_read_all("packaging/daemonrc", 4096, &text, &n) &&
	      !file_write_atomic(tmpdir_path("share/daemonrc"), text, n, 0644), "copy");
	CHECK(!daemonrc_load_service(rc, &s, NULL) && !strcmp(s.history, "14d") && s.rate == 100 &&
	      s.callgraph_depth == 64 && !s.nr_events, "the package's");
	setup_free(&s);
	setup_init(&s);
	CHECK(!file_write_atomic(rc, "NR_CHOSEN=0\n", 12, 0600), "write");
	CHECK(!daemonrc_load_service(rc, &s, NULL) && !*s.history, "a saved set-up");
	setup_free(&s);
	free(text);
	free(service);
	free(rc);
}

TEST(reads_back_what_it_wrote)
{
	const char *const texts[] = { defaults, exact, everything };

	for (size_t i = 0; i < NR(texts); i++) {
		struct strbuf text = STRBUF_INIT;
		struct op_error e = { "" };
		struct setup s;

		setup_init(&s);
		CHECK(!daemonrc_parse(texts[i], "rc", &s, &e), "%s", e.text);
		daemonrc_format(&s, &text);
		CHECK(!strcmp(text.text, texts[i]), "got:\n%s", text.text);
		strbuf_free(&text);
		setup_free(&s);
	}
}

TEST(bad_lines)
{
	const struct {
		const char *text;
		const char *message;
	} bad[] = {
		{ "SESSION_DIR", "rc:1: expected KEY=VALUE" },
		{ "NR_CHOSEN=0\n\nVMLINUX=none\n", "rc:2: expected KEY=VALUE" },
		{ "NR_CHOSEN=0\n# a comment\n", "rc:2: " },
		{ "=1\n", "rc:1: invalid key" },
		{ "A KEY=1\n", "rc:1: invalid key" },
		{ "NOTE[0]=X\n", "rc:1: invalid key" },
		{ "CTR_EVENT[]=X\n", "rc:1: invalid key" },
		{ "CTR_EVENT[0]x=X\n", "rc:1: invalid key" },
		{ "CTR_EVENT[$(id)]=X\n", "rc:1: invalid key" },
		{ "SESSION_DIR=/tmp\nSEPERATE_LIB=1\n", "rc:2: unknown key 'SEPERATE_LIB'" },
		{ "FOO=1\n", "rc:1: unknown key 'FOO'" },
		{ "callgraph=1\n", "unknown key" },
		{ "UNWIND=dwarf\n",
		  "rc:1: invalid value 'dwarf' for --unwind: expected fp or tables" },
		{ "UNWIND_MEMORY=16385\n", "rc:1: " },
		{ "HISTORY=forever\n", "rc:1: " },
		{ "QUOTA=1M\n", "rc:1: " },
		{ "SLICE=0s\n", "rc:1: " },
		{ "CALL_ARCS=1\n", "rc:1: " },
		{ "SESSION_DIR=/tmp/$(reboot)\n", "rc:1: invalid value" },
		{ "VMLINUX=none\nIMAGE_FILTER=`id`\n", "rc:2: invalid value" },
		{ "VMLINUX=none;id\n", "rc:1: invalid value" },
		{ "VMLINUX=\"none\"\n", "rc:1: invalid value" },
		{ "VMLINUX=none\r\n", "rc:1: invalid value" },
		{ "SESSION_DIR=\n", "rc:1: invalid path '': expected an absolute path" },
		{ "SESSION_DIR=var\n", "expected an absolute path" },
		{ "VMLINUX=boot/vmlinux\n", "expected an absolute path" },
		{ "SEPARATE_LIB=2\n", "expected 0 or 1" },
		{ "SEPARATE_CPU=\n", "expected 0 or 1" },
		{ "BUF_SIZE=-1\n", "rc:1: invalid size '-1': expected 1024 to 16777216" },
		{ "BUF_SIZE=1000\n", "expected 1024 to" },
		{ "CPU_BUF_SIZE=1\n", "expected 16 to 1048576" },
		{ "BUF_SIZE=abc\n", "invalid size 'abc'" },
		{ "CALLGRAPH=1025\n", "expected 0 to 1024" },
		{ "KERNEL_RANGE=ffff,1\n", "START,END" },
		{ "KERNEL_RANGE=1\n", "START,END" },
		{ "COLLECTOR=ebpf\n", "expected auto, module, perf or bpf" },
		{ "MODEL=p4\n", "expected auto, intel" },
		{ "CHOSEN_EVENTS_1=A:1\n", "expected CHOSEN_EVENTS_0, got CHOSEN_EVENTS_1" },
		{ "CHOSEN_EVENTS_0=A:1\nCHOSEN_EVENTS_0=A:1\n", "rc:2: " },
		{ "CHOSEN_EVENTS_0=A\n", "missing count" },
		{ "CHOSEN_EVENTS_0=A:1\nNR_CHOSEN=2\n", "rc:2: invalid NR_CHOSEN" },
	};

	for (size_t i = 0; i < NR(bad); i++) {
		struct op_error e = { "" };
		struct setup s;

		setup_init(&s);
		CHECK(daemonrc_parse(bad[i].text, "rc", &s, &e) == -EINVAL, "accepted: %s",
		      bad[i].text);
		CHECK(strstr(e.text, bad[i].message), "\"%s\" does not contain \"%s\"", e.text,
		      bad[i].message);
		CHECK(!strncmp(e.text, "rc:", 3), "no line number: %s", e.text);
		setup_free(&s);
	}
}

/* CTL-82, CTL-83 */
TEST(keys_of_the_original_are_skipped)
{
	struct op_error e = { "" };
	struct setup s;

	setup_init(&s);
	CHECK(!daemonrc_parse("NOTE_SIZE=5\nRTC_VALUE=1024\nONE_ENABLED=1\nXENIMAGE=none\n"
			      "XEN_RANGE=1,2\nS390_HW_SAMPLER_BUFSIZE=4\nCTR_EVENT[0]=X\n"
			      "CTR_COUNT[12]=\nCTR_EVENT_VAL=1\nCALLGRAPH=3", "rc", &s, &e),
	      "%s", e.text);
	CHECK(s.callgraph_depth == 3, "a last line without newline");
	setup_free(&s);
}

TEST(load_save_and_pending)
{
	char *path;
	struct op_error e = { "" };
	struct setup s, t;
	struct stat st;

	tmpdir_make();
	path = tmpdir_path("deep/daemonrc");
	setup_init(&s);
	CHECK(!daemonrc_load(path, &s, &e), "a missing file is the defaults: %s", e.text);
	s.callgraph_depth = 7;
	CHECK(!daemonrc_save(path, &s, &e), "%s", e.text);
	CHECK(!stat(path, &st) && (st.st_mode & 0777) == 0644, "mode %o", st.st_mode & 0777);
	s.callgraph_depth = 9;
	CHECK(!daemonrc_has_pending(path), "none yet");
	CHECK(!daemonrc_adopt_pending(path, &e), "nothing to adopt: %s", e.text);
	CHECK(!daemonrc_save_pending(path, &s, &e), "%s", e.text);
	CHECK(daemonrc_has_pending(path), "pending");

	setup_init(&t);
	CHECK(!daemonrc_load(path, &t, &e) && t.callgraph_depth == 7, "not in effect yet");
	CHECK(!daemonrc_adopt_pending(path, &e), "%s", e.text);
	CHECK(!daemonrc_load(path, &t, &e) && t.callgraph_depth == 9, "in effect");
	CHECK(!daemonrc_has_pending(path), "removed");

	CHECK(!file_write_atomic(path, "CALLGRAPH=1\0X", 13, 0644), "write");
	CHECK(daemonrc_load(path, &t, &e) == -EINVAL, "a NUL byte");
	setup_free(&s);
	setup_free(&t);
}

TEST_MAIN()
