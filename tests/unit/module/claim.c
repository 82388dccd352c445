// SPDX-License-Identifier: GPL-2.0-or-later
/* claim.c - when KVM counts as in use */
#include <errno.h>
#include "module/arch/x86/claim.h"
#include "tests/tap.h"

TEST(guests)
{
	CHECK(!op_has_guests(0, true), "KVM is loaded and keeps the CPUs ready, but has no guest");
	CHECK(op_has_guests(1, true) && op_has_guests(3, false), "guests");
	CHECK(op_has_guests(-ENOENT, true), "another hypervisor, or KVM without a count");
	CHECK(!op_has_guests(-ENOENT, false), "none");
}

TEST_MAIN()
