// SPDX-License-Identifier: GPL-2.0-or-later
/* collectors.c - which collectors can sample here: the module, perf, a program itself */
#include "control/opdoctor/probes.h"

#include <stdlib.h>
#include <string.h>

#include "control/machine/module_state.h"
#include "libutil/file.h"
#include "libutil/xalloc.h"

static void probe_mounted_module(const struct machine *m, struct findings *f)
{
	struct op_error e = { "" };
	struct module_state state;

	if (module_state_read(&m->host.driver, &state, &e)) {
		finding_add(f, VERDICT_NO, "module", "loaded, but cannot be used: %s", e.text);
		finding_advise(f, "as root: opcontrol --deinit, then opcontrol --start, which "
			       "loads the module that is installed");
	} else if (!state.possible) {
		finding_add(f, VERDICT_POOR, "module", "loaded, but its model '%s' is impossible: "
			    "%s", state.chosen, state.why_not);
		finding_advise(f, "opcontrol --start --model=auto");
	} else {
		finding_add(f, VERDICT_OK, "module", "loaded; samples by model '%s'", state.chosen);
	}
}

/* A module as depmod lists it: "updates/dkms/oprofile.ko.xz: ...". */
static bool is_installed(const struct machine *m)
{
	char *name = xasprintf("/lib/modules/%s/modules.dep", m->release);
	char *path = machine_path(m, name), *text = NULL;
	bool found = !file_read_all(path, 16 << 20, &text, NULL) && strstr(text, "/oprofile.ko");

	free(text);
	free(path);
	free(name);
	return found;
}

static void advise_building(const struct machine *m, struct findings *f)
{
	char *build = xasprintf("/lib/modules/%s/build", m->release);

	if (machine_has(m, build))
		finding_advise(f, "build it: 'make module' in the source tree, or install the DKMS "
			       "package");
	else
		finding_advise(f, "install the headers of this kernel (Debian: apt-get install "
			       "linux-headers-%s), then build it: 'make module' in the source "
			       "tree, or the DKMS package", m->release);
	free(build);
}

/* Also where nothing is loaded yet: what opcontrol --start would find. */
static void probe_module(const struct machine *m, struct findings *f)
{
	if (driver_mounted(&m->host.driver)) {
		probe_mounted_module(m, f);
	} else if (!file_exists(m->host.driver.modules)) {
		finding_add(f, VERDICT_NO, "module", machine_has(m, "/proc/self")
			    ? "the kernel does not support loadable modules"
			    : "cannot be examined: /proc is not mounted");
		finding_advise(f, "none needed if perf works, which opcontrol then uses");
	} else if (file_exists(m->host.driver.module_file) || is_installed(m)) {
		finding_add(f, m->uid ? VERDICT_NOTE : VERDICT_OK, "module", "found for kernel %s, "
			    "not loaded: opcontrol --start loads it%s", m->release,
			    m->uid ? ", as root" : "");
	} else {
		finding_add(f, VERDICT_NO, "module", "no oprofile.ko for kernel %s", m->release);
		advise_building(m, f);
	}
}

static void probe_right(const struct machine *m, bool whole_machine, const char *name,
			const char *what, struct findings *f)
{
	struct op_error e = { "" };
	struct rights rights;

	if (m->rights(whole_machine, &rights, &e))
		finding_add_with_remedy(f, VERDICT_NO, name, "%s: %s", what, e.text);
	else if (!rights.kernel)
		finding_add_with_remedy(f, VERDICT_POOR, name, "%s can profile user code only: %s",
					what, rights.no_kernel);
	else
		finding_add(f, VERDICT_OK, name, "%s can profile user code and kernel", what);
}

/* Where it cannot be loaded perf's stacks are copied, so that nothing is missing. */
static void probe_bpf(const struct machine *m, struct findings *f)
{
	struct op_error e = { "" };

	if (m->try_bpf(&e))
		finding_add_with_remedy(f, VERDICT_NOTE, "bpf", "%s", e.text);
	else
		finding_add(f, VERDICT_OK, "bpf", "opcontrol --callgraph without the module: like "
			    "perf, but stacks are walked in the kernel");
}

void probe_collectors(const struct machine *m, struct findings *f)
{
	findings_begin(f, "collectors");
	probe_module(m, f);
	probe_right(m, true, "perf", "opcontrol without the module", f);
	probe_bpf(m, f);
	probe_right(m, false, "own programs", "operf and ocount", f);
	finding_add(f, VERDICT_OK, "opsample", "a program that samples itself needs no "
		    "permission: opsample COMMAND");
	if (m->uid)
		finding_add(f, VERDICT_NOTE, "user",
			    "not root: opcontrol --start needs root, operf does not");
}

static bool works(const struct findings *f, const char *name)
{
	const struct finding *one = finding_find(f, "collectors", name);

	return one && (one->verdict == VERDICT_OK || one->verdict == VERDICT_POOR);
}

const char *what_can_be_profiled(const struct findings *f)
{
	if (works(f, "module") || works(f, "perf"))
		return "the whole machine";
	return works(f, "own programs") ? "your own programs" : NULL;
}
