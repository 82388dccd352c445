// SPDX-License-Identifier: GPL-2.0-or-later
/* claim.c - when KVM counts as in use: at the start, and while the counters are used */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include "tests/unit/module/kernel/fake.h"
#include "module/arch/x86/msr.h"
#include "tests/tap.h"

/* ---- what claim.c uses of an Intel CPU's kernel ---- */

#define X86_VENDOR_INTEL		0
#define X86_FEATURE_APIC		9
#define X86_CR4_VMXE			(1ul << 13)
#define boot_cpu_has(feature)		((feature) == X86_FEATURE_APIC)
#define get_cpu()			fake_cpu
#define put_cpu()			((void)0)
#define strim(text)			(text)

static const struct {
	int x86_vendor;
} boot_cpu_data = { X86_VENDOR_INTEL };
static bool fake_vmx[FAKE_CPUS];	/* what KVM sets up on all CPUs */
static const char *fake_refcnt;		/* of KVM's module; NULL: there is no such file */
static int fake_reserved;

static unsigned long __read_cr4(void)
{
	return fake_vmx[fake_cpu] ? X86_CR4_VMXE : 0;
}

struct file {
	const char *text;
};

static struct file *filp_open(const char *path, int flags, int mode)
{
	static struct file file;

	(void)flags;
	(void)mode;
	CHECK(!strcmp(path, "/sys/module/kvm_intel/refcnt"), "%s", path);
	file.text = fake_refcnt;
	return fake_refcnt ? &file : ERR_PTR(-ENOENT);
}

#define filp_close(file, owner)		((void)(file))

static void kernel_read(const struct file *file, char *to, size_t size, loff_t *pos)
{
	(void)pos;
	snprintf(to, size + 1, "%s", file->text);
}

static int kstrtoint(const char *text, int base, int *ret)
{
	*ret = (int)strtol(text, NULL, base);
	return 0;
}

static bool reserve_one(void)
{
	fake_reserved++;
	return true;
}

#define reserve_perfctr_nmi(msr)	((void)(msr), reserve_one())
#define reserve_evntsel_nmi(msr)	((void)(msr), reserve_one())
#define release_perfctr_nmi(msr)	((void)(msr), fake_reserved--)
#define release_evntsel_nmi(msr)	((void)(msr), fake_reserved--)
#define smp_call_function_single(cpu, what, data, wait)	((void)(cpu), what(data))

/* One register is as good as all. */
static u32 fake_low, fake_high;

static int rdmsr_safe(u32 msr, u32 *low, u32 *high)
{
	(void)msr;
	*low = fake_low;
	*high = fake_high;
	return 0;
}

static int wrmsr_safe(u32 msr, u32 low, u32 high)
{
	(void)msr;
	fake_low = low;
	fake_high = high;
	return 0;
}

u64 op_rdmsr(u32 msr)
{
	(void)msr;
	return 0;
}

#include "module/arch/x86/claim.c"

bool op_disturbed;

static const struct op_pmu pmu = { .nr_general = 4, .step = 1 };

static void set_kvm(bool loaded, const char *refcnt)
{
	fake_vmx[0] = fake_vmx[1] = loaded;
	fake_refcnt = refcnt;
}

TEST(guests)
{
	CHECK(!op_has_guests(0, true), "KVM is loaded and keeps the CPUs ready, but has no guest");
	CHECK(op_has_guests(1, true) && op_has_guests(3, false), "guests");
	CHECK(op_has_guests(-ENOENT, true), "another hypervisor, or KVM without a count");
	CHECK(!op_has_guests(-ENOENT, false), "none");
}

TEST(no_start_beside_guests)
{
	struct op_reason why;

	set_kvm(true, "1\n");
	CHECK(op_claim(&pmu, &why) == -EBUSY && strstr(why.text, "KVM is in use"), "%s", why.text);
	CHECK(!fake_reserved, "%d registers are claimed", fake_reserved);
	set_kvm(true, "0\n");
	CHECK(!op_claim(&pmu, &why), "%s", why.text);
	CHECK(fake_reserved == 8, "%d registers are claimed", fake_reserved);
	op_release(&pmu);
	CHECK(!fake_reserved, "%d registers are claimed", fake_reserved);
}

/* From the next look on until the one after its end, samples count as disturbed. */
TEST(a_guest_that_starts_later_is_noticed)
{
	static const struct {
		bool loaded;
		const char *refcnt;
		bool disturbed;
	} looks[] = {
		{ false, NULL, false }, { true, "0\n", false }, { true, "2\n", true },
		{ true, "1\n", true }, { true, "0\n", false }, { true, NULL, true },
		{ false, NULL, false },
	};

	for (size_t i = 0; i < sizeof(looks) / sizeof(looks[0]); i++) {
		set_kvm(looks[i].loaded, looks[i].refcnt);
		op_claim_watch();
		CHECK(op_disturbed == looks[i].disturbed, "look %zu", i);
	}
}

TEST_MAIN()
