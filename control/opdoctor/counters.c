// SPDX-License-Identifier: GPL-2.0-or-later
/* counters.c - the CPU's counters, and what keeps them from being used */
#include "control/opdoctor/probes.h"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "events/cpu/detect.h"
#include "libutil/file.h"

static void probe_cycles(const struct machine *m, struct findings *f)
{
	struct cpu_kinds kinds;
	int err = m->host.try_cycles();

	cpu_detect(m->host.root, &kinds);
	if (err == -EBUSY) {
		finding_add(f, VERDICT_POOR, "counters", "another program uses them");
		finding_advise(f, "end it (perf, a virtual machine with counters, another "
			       "profiler); until then sampling is by time");
	} else if (err == -EACCES || err == -EPERM || err == -ENOSYS) {
		finding_add(f, VERDICT_POOR, "counters", "cannot be tried: perf_event_open(2) is "
			    "not permitted");
	} else if (err) {
		finding_add(f, VERDICT_NOTE, "counters", "none: sampling is by time, which shows "
			    "where time goes, but not cache misses and the like");
	} else if (!kinds.kind[0].type->clock_event) {
		finding_add(f, VERDICT_POOR, "counters", "the kernel counts cycles, but the event "
			    "table of this CPU is missing: sampling is by time");
		finding_advise(f, "report the CPU: doc/howto-add-a-cpu.md");
	}
	for (unsigned int i = 0; !err && i < kinds.nr; i++)
		if (kinds.kind[i].type->clock_event)
			finding_add(f, VERDICT_OK, "counters",
				    "%s, %u general-purpose counters%s%s",
				    kinds.kind[i].type->pretty, kinds.kind[i].nr_counters,
				    *kinds.kind[i].cpus ? ", CPUs " : "", kinds.kind[i].cpus);
}

/* As on the machine whose /proc/cpuinfo is faked. */
static bool cpuinfo_has_hypervisor(const struct machine *m)
{
	char *path = machine_path(m, "/proc/cpuinfo"), *text = NULL;
	const char *flags, *found;
	bool has = false;

	if (!file_read_all(path, 16 << 20, &text, NULL) && (flags = strstr(text, "\nflags")) &&
	    (found = strstr(flags, " hypervisor")))
		has = (size_t)(found - flags) < 1 + strcspn(flags + 1, "\n");
	free(text);
	free(path);
	return has;
}

/*
 * Whether this is a virtual machine, and the hypervisor's signature: "KVMKVMKVM", "Microsoft Hv",
 * ...; "" if it has none.
 */
static bool find_hypervisor(const struct machine *m, char ret[13])
{
	unsigned int words[4] = { 0 };
	bool is_guest = cpuinfo_has_hypervisor(m) ||
			machine_has(m, "/proc/device-tree/hypervisor") ||
			machine_has(m, "/sys/hypervisor/type");

#if defined(__x86_64__) || defined(__i386__)
	if (!*m->root) {
		__cpuid(1, words[0], words[1], words[2], words[3]);
		is_guest |= words[2] >> 31;
		__cpuid(0x40000000, words[0], words[1], words[2], words[3]);
	}
#endif
	memcpy(ret, &words[1], 12);
	ret[12] = '\0';
	return is_guest;
}

static const char *hypervisor_name(const char *signature)
{
	static const char *const names[][2] = {
		{ "KVMKVMKVM", "KVM" }, { "TCGTCGTCGTCG", "QEMU without KVM" },
		{ "Microsoft Hv", "Hyper-V" }, { "VMwareVMware", "VMware" },
		{ "XenVMMXenVMM", "Xen" }, { "bhyve bhyve ", "bhyve" },
		{ "VBoxVBoxVBox", "VirtualBox" },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(signature, names[i][0]))
			return names[i][1];
	return "an unknown hypervisor";
}

static void probe_hypervisor(const struct machine *m, struct findings *f)
{
	const struct finding *counters = finding_find(f, "counters", "counters");
	char signature[13];

	if (!find_hypervisor(m, signature)) {
		finding_add(f, VERDICT_OK, "hypervisor", "no sign of one: this is a real machine");
		return;
	}
	finding_add(f, VERDICT_NOTE, "hypervisor", "this is a virtual machine of %s",
		    hypervisor_name(signature));
	if (counters->verdict == VERDICT_NOTE)
		finding_advise(f, "to get counters, let the host give them to the guest (QEMU: "
			       "-cpu host,pmu=on; libvirt: <pmu state='on'/>; clouds: metal or "
			       "full-size instances)");
}

static void probe_watchdog(const struct machine *m, struct findings *f)
{
	uint64_t on;

	if (file_read_u64(m->host.watchdog, &on))
		finding_add(f, VERDICT_NOTE, "NMI watchdog", "the kernel has none that can be "
			    "turned off");
	else if (file_exists(m->host.watchdog_kept))
		finding_add(f, VERDICT_NOTE, "NMI watchdog", "turned off by opcontrol, until "
			    "--shutdown");
	else if (on)
		finding_add(f, VERDICT_NOTE, "NMI watchdog", "on: it occupies a counter; opcontrol "
			    "turns it off while the module samples by counters");
	else
		finding_add(f, VERDICT_OK, "NMI watchdog", "off: it occupies no counter");
}

void probe_counters(const struct machine *m, struct findings *f)
{
	findings_begin(f, "counters");
	probe_cycles(m, f);
	probe_hypervisor(m, f);
	probe_watchdog(m, f);
}
