// SPDX-License-Identifier: GPL-2.0-or-later
/* doctor.c - what opdoctor finds on machines that are made up */
#include "control/opdoctor/probes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libdb/history/folder.h"
#include "tests/unit/control/fake_host.h"

static struct {
	const char *refused;		/* "reason; remedy" for everything, or NULL */
	const char *no_kernel;		/* only user code, or NULL */
	const char *no_bpf;
	int cost_err;
} given;

static int fake_rights(bool whole_machine, struct rights *ret, struct op_error *e)
{
	(void)whole_machine;
	*ret = (struct rights){ .kernel = !given.no_kernel };
	if (given.refused)
		return op_error_set(e, -EPERM, "%s", given.refused);
	if (given.no_kernel)
		snprintf(ret->no_kernel, sizeof(ret->no_kernel), "%s", given.no_kernel);
	return 0;
}

static int fake_cost(bool stacks, bool frame_pointers, uint64_t *ret_ns)
{
	(void)frame_pointers;
	*ret_ns = stacks ? 20000 : 8000;
	return given.cost_err;
}

static int fake_bpf(struct op_error *e)
{
	return given.no_bpf ? op_error_set(e, -EPERM, "%s", given.no_bpf) : 0;
}

/* A machine with everything: counters, readable kernel symbols, a module that can be loaded. */
static struct machine fake_machine(void)
{
	struct machine m = { .rights = fake_rights, .try_bpf = fake_bpf, .release = "6.1.0-test" };

	memset(&given, 0, sizeof(given));
	m.host = fake_host();
	m.root = m.host.root;
	m.host.sample_cost = fake_cost;
	free(m.host.driver.module_file);
	m.host.driver.module_file = xstrdup(tmpdir_path("oprofile.ko"));
	m.host.driver.modules = xstrdup(tmpdir_path("root/proc/modules"));
	setup_init(&m.setup);
	free(m.setup.session_dir);
	m.setup.session_dir = xstrdup(tmpdir_path("session"));
	put("root/proc/modules", "ext4 1 0 - Live 0\n");
	put("root/proc/self/comm", "opdoctor\n");
	put("root/proc/kallsyms", "ffffffff81000000 T _text\n");
	put("root/proc/sys/kernel/perf_event_paranoid", "2\n");
	put("root/sys/kernel/security/lockdown", "[none] integrity confidentiality\n");
	put("root/sys/module/module/parameters/sig_enforce", "N\n");
	put("root/sys/kernel/btf/vmlinux", "x");
	put("root/sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc\n");
	put("root/lib/modules/6.1.0-test/modules.dep", "updates/dkms/oprofile.ko.xz:\n");
	return m;
}

static void machine_end(struct machine *m)
{
	free((char *)m->host.driver.modules);
	setup_free(&m->setup);
	fake_host_free(&m->host);
}

static void is_found(const struct findings *f, const char *area, const char *name,
		     enum verdict verdict, const char *text, const char *advice)
{
	const struct finding *one = finding_find(f, area, name);

	CHECK(one, "%s: %s", area, name);
	if (!one)
		return;
	CHECK(one->verdict == verdict, "%s: %d: %s", name, one->verdict, one->text);
	CHECK(strstr(one->text, text), "%s: %s", name, one->text);
	CHECK(advice ? one->advice && strstr(one->advice, advice) : !one->advice, "%s: %s", name,
	      one->advice ? one->advice : "no advice");
}

TEST(good_machine)
{
	struct machine m = fake_machine();
	struct findings f = { 0 };

	probe_collectors(&m, &f);
	probe_counters(&m, &f);
	probe_kernel(&m, &f);
	probe_cost(&m, &f);
	probe_daemon(&m, &f);
	is_found(&f, "collectors", "module", VERDICT_OK, "opcontrol --start loads it", NULL);
	is_found(&f, "collectors", "perf", VERDICT_OK, "user code and kernel", NULL);
	is_found(&f, "collectors", "bpf", VERDICT_OK, "opcontrol --callgraph", NULL);
	is_found(&f, "counters", "counters", VERDICT_OK, "Skylake", NULL);
	is_found(&f, "counters", "hypervisor", VERDICT_OK, "real machine", NULL);
	is_found(&f, "counters", "NMI watchdog", VERDICT_NOTE, "on: it occupies a counter", NULL);
	is_found(&f, "kernel", "kernel symbols", VERDICT_OK, "readable", NULL);
	is_found(&f, "kernel", "lockdown", VERDICT_OK, "off", NULL);
	is_found(&f, "kernel", "module signature", VERDICT_OK, "not required", NULL);
	is_found(&f, "kernel", "BTF", VERDICT_OK, "", NULL);
	is_found(&f, "time", "clock", VERDICT_OK, "tsc, ", NULL);
	is_found(&f, "time", "cost of a sample", VERDICT_OK, "8.0 us: opcontrol samples up to 1000 "
		 "times", NULL);
	is_found(&f, "time", "with a stack", VERDICT_OK, "20.0 us", NULL);
	is_found(&f, "daemon", "daemon", VERDICT_NOTE, "not running", NULL);
	CHECK(!strcmp(what_can_be_profiled(&f), "the whole machine"), "can profile");
	findings_free(&f);
	machine_end(&m);
}

TEST(refused)
{
	struct machine m = fake_machine();
	struct findings f = { 0 };

	given.refused = "a seccomp filter forbids it; start the container otherwise";
	given.cost_err = -EPERM;
	fake.cycles = -EPERM;
	m.uid = 1000;
	probe_collectors(&m, &f);
	probe_counters(&m, &f);
	probe_cost(&m, &f);
	is_found(&f, "collectors", "perf", VERDICT_NO, "a seccomp filter forbids it",
		 "start the container otherwise");
	is_found(&f, "collectors", "own programs", VERDICT_NO, "a seccomp filter", "start");
	is_found(&f, "collectors", "opsample", VERDICT_OK, "needs no permission", NULL);
	is_found(&f, "collectors", "module", VERDICT_NOTE, ", as root", NULL);
	is_found(&f, "counters", "counters", VERDICT_POOR, "not permitted", NULL);
	is_found(&f, "time", "cost of a sample", VERDICT_NOTE, "not measured", NULL);
	CHECK(!what_can_be_profiled(&f), "cannot profile");
	findings_free(&f);
	machine_end(&m);
}

TEST(user_code_only)
{
	struct machine m = fake_machine();
	struct findings f = { 0 };

	given.no_kernel = "kernel.perf_event_paranoid is 2; set it to 1";
	probe_collectors(&m, &f);
	is_found(&f, "collectors", "own programs", VERDICT_POOR,
		 "user code only: kernel.perf_event_paranoid is 2", "set it to 1");
	CHECK(what_can_be_profiled(&f), "can profile");
	findings_free(&f);
	machine_end(&m);
}

TEST(no_module)
{
	struct machine m = fake_machine();
	struct findings f = { 0 };

	put("root/lib/modules/6.1.0-test/modules.dep", "kernel/fs/ext4/ext4.ko:\n");
	probe_collectors(&m, &f);
	is_found(&f, "collectors", "module", VERDICT_NO, "no oprofile.ko for kernel 6.1.0-test",
		 "linux-headers-6.1.0-test");
	findings_free(&f);
	put("root/lib/modules/6.1.0-test/build/Makefile", "all:\n");
	probe_collectors(&m, &f);
	is_found(&f, "collectors", "module", VERDICT_NO, "no oprofile.ko", "build it");
	findings_free(&f);
	file_remove_tree(tmpdir_path("root/proc/modules"));
	probe_collectors(&m, &f);
	is_found(&f, "collectors", "module", VERDICT_NO, "does not support loadable modules",
		 "none needed");
	findings_free(&f);
	file_remove_tree(tmpdir_path("root/proc"));
	probe_collectors(&m, &f);
	is_found(&f, "collectors", "module", VERDICT_NO, "/proc is not mounted", "none needed");
	findings_free(&f);
	machine_end(&m);
}

TEST(guest)
{
	struct machine m = fake_machine();
	struct findings f = { 0 };

	put("root/proc/cpuinfo", "vendor_id\t: GenuineIntel\nflags\t: fpu hypervisor lm\n");
	fake.cycles = -ENOENT;
	probe_counters(&m, &f);
	is_found(&f, "counters", "counters", VERDICT_NOTE, "sampling is by time", NULL);
	is_found(&f, "counters", "hypervisor", VERDICT_NOTE, "a virtual machine", "pmu=on");
	findings_free(&f);
	fake.cycles = -EBUSY;
	probe_counters(&m, &f);
	is_found(&f, "counters", "counters", VERDICT_POOR, "another program uses them", "end it");
	findings_free(&f);
	put("root/proc/cpuinfo", "flags\t: fpu lm\nmodel name\t: not a hypervisor\n");
	probe_counters(&m, &f);
	is_found(&f, "counters", "hypervisor", VERDICT_OK, "real machine", NULL);
	findings_free(&f);
	machine_end(&m);
}

TEST(watchdog)
{
	struct machine m = fake_machine();
	struct findings f = { 0 };

	put("nmi_watchdog", "0\n");
	probe_counters(&m, &f);
	is_found(&f, "counters", "NMI watchdog", VERDICT_OK, "off", NULL);
	findings_free(&f);
	put("run/kept", "1 /var/lib/oprofile\n");
	probe_counters(&m, &f);
	is_found(&f, "counters", "NMI watchdog", VERDICT_NOTE, "turned off by opcontrol", NULL);
	findings_free(&f);
	machine_end(&m);
}

TEST(strict_kernel)
{
	struct machine m = fake_machine();
	struct findings f = { 0 };

	put("root/proc/sys/kernel/perf_event_paranoid", "3\n");
	put("root/proc/kallsyms", "0000000000000000 T _text\n");
	put("root/sys/kernel/security/lockdown", "none [integrity] confidentiality\n");
	put("root/sys/module/module/parameters/sig_enforce", "Y\n");
	file_remove_tree(tmpdir_path("root/sys/kernel/btf"));
	given.no_bpf = "not permitted; run as root";
	probe_collectors(&m, &f);
	probe_kernel(&m, &f);
	is_found(&f, "kernel", "paranoid", VERDICT_NOTE, "only root", "perf_event_paranoid=2");
	is_found(&f, "kernel", "lockdown", VERDICT_NOTE, "integrity: only signed", "mokutil");
	is_found(&f, "kernel", "module signature", VERDICT_NOTE, "required", "mokutil");
	is_found(&f, "kernel", "BTF", VERDICT_NOTE, "missing", NULL);
	is_found(&f, "collectors", "bpf", VERDICT_NOTE, "not permitted", "run as root");
	CHECK(finding_find(&f, "kernel", "kernel symbols")->verdict == VERDICT_POOR, "symbols");
	findings_free(&f);
	machine_end(&m);
}

TEST(nothing_mounted)
{
	struct machine m = fake_machine();
	struct findings f = { 0 };

	file_remove_tree(tmpdir_path("root"));
	probe_kernel(&m, &f);
	is_found(&f, "kernel", "/proc", VERDICT_NO, "not mounted", "mount -t proc");
	is_found(&f, "kernel", "/sys", VERDICT_NO, "not mounted", "mount -t sysfs");
	findings_free(&f);
	machine_end(&m);
}

TEST(slow_clock)
{
	struct machine m = fake_machine();
	struct findings f = { 0 };

	put("root/sys/devices/system/clocksource/clocksource0/current_clocksource", "hpet\n");
	probe_cost(&m, &f);
	is_found(&f, "time", "clock", VERDICT_POOR, "'hpet'", "dmesg");
	findings_free(&f);
	machine_end(&m);
}

static void set_history(struct machine *m, const char *age, const char *quota)
{
	free(m->setup.history);
	free(m->setup.history_quota);
	m->setup.history = xstrdup(age);
	m->setup.history_quota = xstrdup(quota);
}

static void daemon_has_history(const struct machine *m, enum verdict verdict, const char *text,
			       const char *advice)
{
	struct findings f = { 0 };

	probe_daemon(m, &f);
	is_found(&f, "daemon", "history", verdict, text, advice);
	findings_free(&f);
}

TEST(history)
{
	struct machine m = fake_machine();

	setenv("TZ", "UTC", 1);
	daemon_has_history(&m, VERDICT_NOTE, "none is kept", "opcontrol --history");
	set_history(&m, "14d", "");
	daemon_has_history(&m, VERDICT_OK, "of the last 14d, 0 MiB of its quota of 2G", NULL);
	put("session/history/000001-1790000000/slices", "x");
	CHECK(!truncate(tmpdir_path("session/history/000001-1790000000/slices"), 1 << 20) &&
	      history_bytes(tmpdir_path("session/history")) < 1 << 20, "holes take no room");
	set_history(&m, "7d", "16M");
	daemon_has_history(&m, VERDICT_OK, "0 MiB of its quota of 16M, since 2026-09-21", NULL);
	set_history(&m, "7d", "1000000T");
	daemon_has_history(&m, VERDICT_POOR, "since 2026-09-21", "--quota=");
	set_history(&m, "", "");
	daemon_has_history(&m, VERDICT_NOTE, "no longer kept; what there is takes 0 MiB, since",
			   "/session/history' removes it");
	put("file", "no folder");
	free(m.setup.session_dir);
	m.setup.session_dir = xstrdup(tmpdir_path("file"));
	daemon_has_history(&m, VERDICT_NOTE, "cannot read", NULL);
	machine_end(&m);
}

TEST(bad_setup)
{
	struct machine m = fake_machine();
	struct findings f = { 0 };

	op_error_set(&m.setup_error, -EINVAL, "/x/daemonrc:3: unknown key 'A'");
	probe_daemon(&m, &f);
	is_found(&f, "daemon", "saved set-up", VERDICT_NO, "daemonrc:3", "remove that file");
	findings_free(&f);
	machine_end(&m);
}

static void print(const struct findings *f, bool json, char *ret, size_t size)
{
	FILE *out = fmemopen(ret, size, "w");

	if (json)
		findings_print_json(f, out);
	else
		findings_print(f, 60, out);
	fclose(out);
}

TEST(printing)
{
	struct findings f = { 0 };
	char text[2000];

	findings_begin(&f, "session");
	finding_add(&f, VERDICT_POOR, "hot image", "'/tmp/\033[31mred' and twenty or so more words "
		    "of it");
	finding_advise(&f, "one");
	finding_advise(&f, "do this");
	finding_add_with_remedy(&f, VERDICT_NO, "perf", "%s", "refused; do that; or this");
	finding_add_with_remedy(&f, VERDICT_OK, "perf", "%s", "no remedy");
	print(&f, false, text, sizeof(text));
	CHECK(!strcmp(text,
		      "\nSession\n"
		      "  poor  hot image        '/tmp/?[31mred' and twenty or so\n"
		      "                         more words of it\n"
		      "                      -> do this\n"
		      "  no    perf             refused\n"
		      "                      -> do that; or this\n"
		      "  ok    perf             no remedy\n"), "%s", text);
	print(&f, true, text, sizeof(text));
	CHECK(strstr(text, "\"verdict\":\"no\",\"text\":\"refused\","
			   "\"advice\":\"do that; or this\"}"), "%s", text);
	CHECK(strstr(text, "\"text\":\"no remedy\",\"advice\":null}"), "%s", text);
	findings_free(&f);
}

TEST_MAIN()
