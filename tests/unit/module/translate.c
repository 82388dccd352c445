// SPDX-License-Identifier: GPL-2.0-or-later
/* translate.c - processes that cannot be looked at: the reason for the loss, and its cost */
#include "tests/tap.h"
#include "tests/unit/module/files/fake.h"
#include "module/translate.c"

/* The cookies and pins of one process, whose only mapping is of one file. */
static op_word answer;
static struct op_pin pin;
static bool logged;

u32 op_cookies_pass(void)
{
	return 1;
}

op_word op_cookie_get(struct file *file)
{
	(void)file;
	return answer;
}

struct op_pin *op_pin_find(u64 mm)
{
	return mm == (unsigned long)pin.mm ? &pin : NULL;
}

static struct file program;

struct file *op_unmap_find(struct op_pin *p, unsigned long pc, u32 sequence, bool any,
			   u64 *ret_offset)
{
	(void)p, (void)sequence, (void)any;
	*ret_offset = pc;
	if (!logged)
		return NULL;
	program.refs++;
	return &program;
}

static struct mm_struct mm;
static struct vm_area_struct text = { .vm_start = 0x1000, .vm_end = 0x2000, .vm_flags = VM_EXEC,
				      .vm_mm = &mm, .vm_file = &program };
static unsigned int sleeps_left;

static void begin(void)
{
	mm = (struct mm_struct){ .users = 1, .exe_file = &program, .vma = &text };
	pin = (struct op_pin){ .mm = &mm, .exe = &program };
	answer = 7;
	logged = false;
	fake_sleeps = 0;
	sleeps_left = OP_WALK_SLEEPS;
}

/* The sample at @pc, in a run of its own. */
static int look_up_at(unsigned long pc, bool final)
{
	struct op_walk w = { .sleeps_left = &sleeps_left };
	struct op_place place = { 0 };
	int err;

	op_walk_begin(&w, (unsigned long)&mm);
	err = op_walk_user(&w, pc, 1, final, &place);
	op_walk_end(&w);
	CHECK(err || (place.cookie == 7 && place.address == pc - text.vm_start) || logged,
	      "the right place");
	return err;
}

TEST(images_without_a_cookie_are_not_waited_for)
{
	begin();
	CHECK(!look_up_at(0x1234, false), "found");
	answer = OP_INVALID_COOKIE;
	for (int i = 0; i < 1000; i++)
		CHECK(look_up_at(0x1234, false) == -ENODATA, "lost under a reason of its own");
	logged = true;
	CHECK(look_up_at(0x1234, false) == -ENODATA, "also when unmapped");
	mm = (struct mm_struct){ .users = 0 };
	CHECK(look_up_at(0x1234, false) == -ENODATA, "also when the process is gone");
	CHECK(!fake_sleeps, "%u sleeps", fake_sleeps);
}

TEST(a_hidden_mapping_is_tried_again_without_sleeping)
{
	begin();
	mm.vma = NULL;
	for (int i = 0; i < 1000; i++)
		CHECK(look_up_at(0x1234, false) == -EAGAIN, "later");
	CHECK(look_up_at(0x1234, true) == -ENOENT, "not for ever");
	logged = true;
	CHECK(!look_up_at(0x1234, false), "it was being unmapped");
	CHECK(!fake_sleeps, "%u sleeps", fake_sleeps);
}

TEST(all_processes_together_make_a_pass_sleep_a_little)
{
	begin();
	mm.locked = true;
	for (int i = 0; i < 1000; i++)
		CHECK(look_up_at(0x1234, false) == -EAGAIN, "its lock is taken");
	mm = (struct mm_struct){ .exe_file = &program };
	for (int i = 0; i < 1000; i++)
		CHECK(look_up_at(0x1234, false) == -EAGAIN, "it is exiting");
	CHECK(fake_sleeps && fake_sleeps <= OP_WALK_SLEEPS, "%u sleeps", fake_sleeps);
}

TEST_MAIN()
