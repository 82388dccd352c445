// SPDX-License-Identifier: GPL-2.0-or-later
/* kernel.c - settings of the kernel that limit profiling */
#include "control/opdoctor/probes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libutil/file.h"

#define PARANOID	"/proc/sys/kernel/perf_event_paranoid"

static void probe_paranoid(const struct machine *m, struct findings *f)
{
	char *line = machine_line(m, PARANOID);
	int level = line ? atoi(line) : 0;

	if (!line) {
		finding_add(f, VERDICT_POOR, "paranoid",
			    "cannot read kernel.perf_event_paranoid");
		finding_advise(f, "run outside the container");
	} else if (level <= 0) {
		finding_add(f, VERDICT_OK, "paranoid", "kernel.perf_event_paranoid is %d: all "
			    "users may profile the whole machine", level);
	} else if (level <= 2) {
		finding_add(f, VERDICT_OK, "paranoid", "kernel.perf_event_paranoid is %d: users "
			    "may profile their own programs%s, root everything", level,
			    level == 1 ? " with the kernel's part" : "");
	} else {
		finding_add(f, VERDICT_NOTE, "paranoid", "kernel.perf_event_paranoid is %d: only "
			    "root may profile", level);
		finding_advise(f, "to let users profile their own programs, as root: sysctl "
			       "kernel.perf_event_paranoid=2");
	}
	free(line);
}

/* What this process sees: the address of the first symbol is 0 if they are hidden. */
static void probe_symbols(const struct machine *m, struct findings *f)
{
	char *line = machine_line(m, "/proc/kallsyms"), why[300];
	uint64_t address = 0;

	if (!line) {
		finding_add(f, VERDICT_POOR, "kernel symbols", "/proc/kallsyms cannot be read: "
			    "kernel functions will have no names");
		finding_advise(f, "use a kernel with CONFIG_KALLSYMS, or give opcontrol "
			       "--vmlinux=FILE");
	} else if (sscanf(line, "%" SCNx64, &address) == 1 && address) {
		finding_add(f, VERDICT_OK, "kernel symbols", "readable: kernel functions will have "
			    "names");
	} else {
		rights_explain_hidden(why, sizeof(why));
		finding_add_with_remedy(f, VERDICT_POOR, "kernel symbols", "hidden, so kernel "
					"functions will have no names: %s", why);
	}
	free(line);
}

static void advise_signing(struct findings *f)
{
	finding_advise(f, "sign the module with a key that the machine trusts (mokutil --import), "
		       "or use --collector=perf");
}

static void probe_lockdown(const struct machine *m, struct findings *f)
{
	char *line = machine_line(m, "/sys/kernel/security/lockdown");
	const char *level = line ? strchr(line, '[') : NULL;

	if (!level || !strncmp(level, "[none]", 6)) {
		finding_add(f, VERDICT_OK, "lockdown", "off%s",
			    line ? "" : ", or the kernel has none");
	} else {
		finding_add(f, VERDICT_NOTE, "lockdown", "%.*s: only signed modules may be loaded",
			    (int)strcspn(level + 1, "]"), level + 1);
		advise_signing(f);
	}
	free(line);
}

static void probe_signatures(const struct machine *m, struct findings *f)
{
	char *line = machine_line(m, "/sys/module/module/parameters/sig_enforce");

	if (!line) {
		finding_add(f, VERDICT_OK, "module signature", "not checked by this kernel");
	} else if (*line == 'Y') {
		finding_add(f, VERDICT_NOTE, "module signature", "required");
		advise_signing(f);
	} else {
		finding_add(f, VERDICT_OK, "module signature", "not required");
	}
	free(line);
}

static void probe_btf(const struct machine *m, struct findings *f)
{
	if (machine_has(m, "/sys/kernel/btf/vmlinux"))
		finding_add(f, VERDICT_OK, "BTF", "the kernel describes its types, as BPF programs "
			    "need it");
	else
		finding_add(f, VERDICT_NOTE, "BTF", "/sys/kernel/btf/vmlinux is missing: BPF "
			    "programs cannot adapt to this kernel");
}

void probe_kernel(const struct machine *m, struct findings *f)
{
	findings_begin(f, "kernel");
	if (!machine_has(m, "/proc/sys")) {
		finding_add(f, VERDICT_NO, "/proc", "not mounted: processes and their files are "
			    "unknown");
		finding_advise(f, "mount -t proc proc /proc");
	} else {
		probe_paranoid(m, f);
		probe_symbols(m, f);
	}
	if (!machine_has(m, "/sys/kernel")) {
		finding_add(f, VERDICT_NO, "/sys", "not mounted: counters and what the kernel "
			    "permits are unknown");
		finding_advise(f, "mount -t sysfs sysfs /sys");
		return;
	}
	probe_lockdown(m, f);
	probe_signatures(m, f);
	probe_btf(m, f);
}
