// SPDX-License-Identifier: GPL-2.0-or-later
/* choice.c - choose a collector on different machines, and turn the NMI watchdog off and on */
#include <sys/wait.h>
#include "control/machine/module_state.h"
#include "control/opcontrol/watchdog.h"
#include "tests/unit/control/fake_host.h"
#include "tests/unit/daemon/fake_daemon.h"

#define NR(a) (sizeof(a) / sizeof((a)[0]))

static struct setup setup_of(enum collector_request collector, const char *model)
{
	struct setup s;

	setup_init(&s);
	free(s.session_dir);
	s.session_dir = xstrdup(tmpdir_path("session"));
	s.collector = collector;
	s.model = model;
	return s;
}

static int choose(const struct host *h, enum collector_request collector, const char *model,
		  struct collector_choice *c, struct op_error *e)
{
	struct setup s = setup_of(collector, model);
	int err;

	e->text[0] = '\0';
	err = collector_choose(h, &s, c, e);
	setup_free(&s);
	return err;
}

static bool restore(const struct host *h)
{
	struct op_error e = { "" };
	bool done;

	CHECK(!watchdog_restore(h, &done, &e), "%s", e.text);
	return done;
}

TEST(module_before_perf)
{
	struct host h = fake_host();
	struct collector_choice c;
	struct op_error e;

	put("nmi_watchdog", "0\n");
	CHECK(!choose(&h, COLLECTOR_AUTO, "", &c, &e), "%s", e.text);
	CHECK(c.module && c.counts && !strcmp(c.model, "intel") && !c.watchdog_off, "%s", c.model);
	CHECK(c.nr_counters == 7 && c.numbers == (1u << 28) - 1 && !c.all_alike, "%u counters",
	      c.nr_counters);
	CHECK(!strcmp(c.kinds.kind[0].type->name, "i386/skylake"), "the CPU's own table");
	CHECK(!restore(&h), "nobody turned it off");

	fake.load_err = -ENOSYS;
	CHECK(!choose(&h, COLLECTOR_AUTO, "", &c, &e), "%s", e.text);
	CHECK(!c.module && c.counts && strstr(c.no_module.text, "module not found"),
	      "perf, and why");
	CHECK(choose(&h, COLLECTOR_MODULE, "", &c, &e) == -ENOSYS &&
	      strstr(e.text, "--collector=perf"), "no advice: %s", e.text);
	CHECK(!choose(&h, COLLECTOR_PERF, "", &c, &e) && !c.module && !c.no_module.text[0],
	      "requested, so no explanation");
	fake_host_free(&h);
}

TEST(time_without_counters)
{
	struct host h = fake_host();
	struct collector_choice c;
	struct op_error e;

	fake.best = "timer";
	fake.cycles = -ENOENT;
	put_cpus(SKYLAKE, "");
	file_remove_tree(tmpdir_path("root/sys"));
	CHECK(!choose(&h, COLLECTOR_AUTO, "", &c, &e) && c.module && !c.counts, "%s", e.text);
	CHECK(!strcmp(c.by_time, "no hardware counters"), "%s", c.by_time);
	CHECK(!choose(&h, COLLECTOR_PERF, "", &c, &e) && !c.counts, "%s", e.text);
	CHECK(!choose(&h, COLLECTOR_BPF, "", &c, &e) && !c.module, "%s", e.text);
	CHECK(!strcmp(c.model, "timer") && strstr(c.by_time, "no hardware"), "%s", c.by_time);
	fake.cycles = -EBUSY;
	CHECK(!choose(&h, COLLECTOR_PERF, "auto", &c, &e) && strstr(c.by_time, "another program"),
	      "%s", c.by_time);
	CHECK(choose(&h, COLLECTOR_PERF, "perf", &c, &e) == -ENODEV &&
	      strstr(e.text, "cannot use --model=perf: another program"), "%s", e.text);
	fake_host_free(&h);
}

TEST(forced_models)
{
	static const struct {
		enum collector_request collector;
		const char *model;
		int err;
		const char *message;	/* of the error, or why by time */
	} cases[] = {
		{ COLLECTOR_AUTO, "timer", 0, "requested by --model=timer" },
		{ COLLECTOR_PERF, "timer", 0, "requested by --model=timer" },
		{ COLLECTOR_AUTO, "amd", -ENODEV,
		  "cannot use --model=amd: the CPU is another; try --model=auto" },
		{ COLLECTOR_MODULE, "amd", -ENODEV, "the CPU is another" },
		{ COLLECTOR_PERF, "intel", -EINVAL, "--model=intel needs the kernel module" },
		{ COLLECTOR_BPF, "intel", -EINVAL, "with --collector=bpf" },
		{ COLLECTOR_AUTO, "intel", 0, "" },
		{ COLLECTOR_PERF, "perf", 0, "" },
	};

	for (size_t i = 0; i < NR(cases); i++) {
		struct host h = fake_host();
		struct collector_choice c;
		struct op_error e;
		int err = choose(&h, cases[i].collector, cases[i].model, &c, &e);

		CHECK(err == cases[i].err, "case %zu: %d, %s", i, err, e.text);
		CHECK(strstr(err ? e.text : c.by_time, cases[i].message), "case %zu: %s", i,
		      err ? e.text : c.by_time);
		CHECK(err || c.counts == !*cases[i].message, "case %zu: counts", i);
		fake_host_free(&h);
	}
}

TEST(model_of_the_module_only)
{
	struct host h = fake_host();
	struct collector_choice c;
	struct op_error e;

	fake.load_err = -ENOSYS;
	CHECK(choose(&h, COLLECTOR_AUTO, "nmi-ipi", &c, &e) == -ENOSYS &&
	      strstr(e.text, "--model=nmi-ipi needs the kernel module: module not found"),
	      "%s", e.text);
	fake_host_free(&h);
}

TEST(two_kinds_of_cpu_need_perf)
{
	struct host h = fake_host();
	struct collector_choice c;
	struct op_error e;

	put_cpus(ALDER_LAKE, "cpu_core cpu_atom");
	file_remove_tree(tmpdir_path("root/sys/bus/event_source/devices/cpu"));
	CHECK(!choose(&h, COLLECTOR_AUTO, "", &c, &e) && !c.module && c.counts, "%s", e.text);
	CHECK(strstr(c.no_module.text, "2 kinds of CPU"), "%s", c.no_module.text);
	CHECK(choose(&h, COLLECTOR_MODULE, "", &c, &e) == -EOPNOTSUPP, "%s", e.text);
	CHECK(!choose(&h, COLLECTOR_MODULE, "timer", &c, &e) && c.module && !c.counts, "%s",
	      e.text);
	fake_host_free(&h);
}

TEST(watchdog_is_off_while_needed)
{
	struct host h = fake_host();
	struct collector_choice c;
	struct op_error e;

	CHECK(!choose(&h, COLLECTOR_AUTO, "", &c, &e) && c.watchdog_off, "%s", e.text);
	CHECK(!fake_watchdog_is_on() && fake.loads == 1, "off, and the module stays loaded");
	CHECK(restore(&h) && fake_watchdog_is_on(), "on again");
	CHECK(!restore(&h), "once");
	/* turned off by somebody else: stays off */
	put("nmi_watchdog", "0\n");
	CHECK(!choose(&h, COLLECTOR_AUTO, "", &c, &e) && !c.watchdog_off, "%s", e.text);
	CHECK(!restore(&h) && !fake_watchdog_is_on(), "stays off");
	fake_host_free(&h);
}

/* The module was loaded while the watchdog used a counter; reloaded, it finds it free. */
TEST(watchdog_blocks_the_module)
{
	struct host h = fake_host();
	struct collector_choice c;
	struct op_error e;

	fake.watchdog_blocks = true;
	CHECK(!choose(&h, COLLECTOR_AUTO, "", &c, &e), "%s", e.text);
	CHECK(!strcmp(c.model, "intel") && c.watchdog_off && fake.loads == 2, "%s, %d loads",
	      c.model, fake.loads);
	CHECK(restore(&h), "on again");
	CHECK(!choose(&h, COLLECTOR_MODULE, "intel", &c, &e) && c.watchdog_off, "forced: %s",
	      e.text);
	CHECK(restore(&h), "on again");

	/* the module is in use: it keeps perf's model, and the watchdog stays on */
	probe("auto");
	fake.reload_err = -EBUSY;
	CHECK(!choose(&h, COLLECTOR_AUTO, "", &c, &e), "%s", e.text);
	CHECK(!strcmp(c.model, "perf") && !c.watchdog_off && fake_watchdog_is_on(), "%s", c.model);
	CHECK(c.all_alike, "perf's model finds the counters itself");
	CHECK(!restore(&h), "nothing to do");
	fake_host_free(&h);
}

/* After a kill at any time, the next opcontrol turns it on, unless a daemon runs. */
TEST(watchdog_after_a_kill)
{
	struct host h = fake_host();
	struct op_error e = { "" };
	char *session = xstrdup(tmpdir);
	bool ours;
	pid_t pid;

	CHECK(!watchdog_off(&h, session, &ours, &e) && ours, "%s", e.text);
	pid = start(ANSWERS, true);
	CHECK(!restore(&h) && !fake_watchdog_is_on(), "a daemon needs it off");
	CHECK(!watchdog_off(&h, "/nonexistent", &ours, &e) && ours && !restore(&h),
	      "for any session directory");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	CHECK(restore(&h) && fake_watchdog_is_on(), "on again");
	/* a killed daemon; the next one has another session directory */
	CHECK(!watchdog_off(&h, "/nonexistent", &ours, &e) && ours, "%s", e.text);
	CHECK(!watchdog_off(&h, session, &ours, &e) && ours, "still turned off by opcontrol");
	pid = start(ANSWERS, true);
	CHECK(!restore(&h) && !fake_watchdog_is_on(), "needed again");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	CHECK(restore(&h), "on again");
	/* killed before it was turned off */
	put("run/kept", "1 %s\n", session);
	CHECK(restore(&h) && fake_watchdog_is_on() && !file_exists(tmpdir_path("run/kept")),
	      "nothing was done yet");
	/* also with invalid contents of the file */
	put("run/kept", "x");
	put("nmi_watchdog", "0\n");
	CHECK(restore(&h) && fake_watchdog_is_on(), "on");
	/* without a watchdog, as on a machine without counters */
	CHECK(!unlink(tmpdir_path("nmi_watchdog")) && !watchdog_off(&h, session, &ours, &e) &&
	      !ours, "%s", e.text);
	CHECK(!restore(&h), "nothing was recorded");
	free(session);
	fake_host_free(&h);
}

/* The events of an earlier session were impossible; those of this one need not be. */
TEST(module_with_impossible_events)
{
	struct host h = fake_host();
	struct collector_choice c;
	struct op_error e;

	put("nmi_watchdog", "0\n");
	probe("intel");
	put("fs/models", "intel: chosen, impossible: counter 0: count 1 is too low\n");
	CHECK(!choose(&h, COLLECTOR_MODULE, "intel", &c, &e) && c.counts, "%s", e.text);
	put("fs/models", "intel: chosen, impossible: counter 0: count 1 is too low\n");
	fake.reload_err = -EBUSY;
	CHECK(choose(&h, COLLECTOR_MODULE, "", &c, &e) == -ENODEV && strstr(e.text, "too low"),
	      "%s", e.text);
	fake_host_free(&h);
}

/* A module that was loaded with model=timer keeps it. */
TEST(module_loaded_with_timer)
{
	struct host h = fake_host();
	struct collector_choice c;
	struct op_error e;

	fake.watchdog_blocks = true;
	probe("timer");
	put("fs/models", "intel: impossible: perf has the counters\ntimer: chosen\n");
	CHECK(!choose(&h, COLLECTOR_AUTO, "", &c, &e) && c.module && !c.counts, "%s", e.text);
	CHECK(fake.loads == 1 && fake_watchdog_is_on() && !restore(&h), "left alone");
	CHECK(strstr(c.by_time, "loaded"), "%s", c.by_time);
	CHECK(!choose(&h, COLLECTOR_AUTO, "auto", &c, &e) && !strcmp(c.model, "intel"), "%s",
	      e.text);
	fake_host_free(&h);
}

TEST(module_loaded_while_counters_were_in_use)
{
	struct host h = fake_host();
	struct collector_choice c;
	struct op_error e;

	put("nmi_watchdog", "0\n");
	fake.best = "timer";
	probe("auto");
	fake.best = "intel";
	CHECK(!choose(&h, COLLECTOR_AUTO, "", &c, &e) && !strcmp(c.model, "intel"), "%s: %s",
	      c.model, e.text);
	fake_host_free(&h);
}

TEST(malformed_module_state)
{
	struct host h = fake_host();
	struct module_state m;
	struct op_error e = { "" };

	probe("");
	put("fs/models", "intel: possible\nno colon\n\n");
	CHECK(module_state_read(&h.driver, &m, &e) == -EPROTO && strstr(e.text, "chosen"), "%s",
	      e.text);
	probe("");
	put("fs/nr_counters", "64\n");
	CHECK(module_state_read(&h.driver, &m, &e) == -EPROTO && strstr(e.text, "64"), "%s",
	      e.text);
	put("fs/nr_counters", "many\n");
	CHECK(module_state_read(&h.driver, &m, &e), "not a number");
	probe("");
	CHECK(!module_state_read(&h.driver, &m, &e) && m.nr_counters == 7, "%s", e.text);
	fake_host_free(&h);
}

/* Without a start nothing is changed. */
TEST(expected_choice)
{
	struct host h = fake_host();
	struct setup s = setup_of(COLLECTOR_AUTO, "");
	struct collector_choice c;
	struct op_error e = { "" };

	CHECK(!collector_expect(&h, &s, &c, &e) && c.counts && !c.nr_counters, "%s", e.text);
	s.model = "timer";
	CHECK(!collector_expect(&h, &s, &c, &e) && !c.counts && strstr(c.by_time, "requested"),
	      "%s", c.by_time);
	s.model = "";
	CHECK(!unlink(tmpdir_path("root/proc/cpuinfo")), "unlink");
	CHECK(!collector_expect(&h, &s, &c, &e) && !c.counts, "unknown CPU");
	CHECK(!fake.loads && fake_watchdog_is_on(), "untouched");
	setup_free(&s);
	fake_host_free(&h);
}

TEST_MAIN()
