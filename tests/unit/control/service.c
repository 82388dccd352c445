// SPDX-License-Identifier: GPL-2.0-or-later
/* service.c - when opcontrol starts a service, and what it writes for it */
#include "control/opcontrol/service.h"

#include "libdb/session/session.h"
#include "libutil/file.h"
#include "tests/unit/control/fake_host.h"

#define PROGRAM	"/usr/bin/oprofiled"

static bool exists(const char *program, const char *session_dir)
{
	return service_exists(tmpdir_path("root"), program, session_dir);
}

TEST(installed_service)
{
	tmpdir_make();
	CHECK(!exists(PROGRAM, SESSION_DIR_DEFAULT), "no systemd");
	put("root/usr/lib/systemd/system/oprofiled.service",
	    "[Service]\nExecStart=" PROGRAM " --foreground\n");
	CHECK(!exists(PROGRAM, SESSION_DIR_DEFAULT), "systemd is installed, but does not run");
	put("root/run/systemd/system/x", "x");
	CHECK(exists(PROGRAM, SESSION_DIR_DEFAULT), "a service");
	CHECK(!exists("/home/me/build/bin/oprofiled", SESSION_DIR_DEFAULT), "another program");
	CHECK(!exists(PROGRAM, "/home/me/session"), "a folder that it may not write");
	put("root/etc/systemd/system/oprofiled.service",
	    "[Service]\nExecStart=/opt/bin/oprofiled --foreground\n");
	CHECK(!exists(PROGRAM, SESSION_DIR_DEFAULT), "the administrator's unit hides ours");
	CHECK(exists("/opt/bin/oprofiled", SESSION_DIR_DEFAULT), "and starts that program");
	tmpdir_remove();
}

TEST(environment)
{
	char program[] = PROGRAM, dir[] = "--session-dir=/x", events[] = "--events=A:0:0:9:0:1:1";
	char range[] = "ffff0000,ffff9999", *list[] = { program, dir, events, NULL };
	struct words words = { .words = list, .nr = 3 };
	struct strbuf text = STRBUF_INIT;

	service_format(&words, false, &text);
	CHECK(!strcmp(text.text, "OPROFILED_OPTIONS=--session-dir=/x --events=A:0:0:9:0:1:1\n"),
	      "%s", text.text);
	strbuf_reset(&text);
	words.kernel_range = range;
	service_format(&words, true, &text);
	CHECK(!strcmp(text.text, "OPROFILED_OPTIONS=--session-dir=/x --events=A:0:0:9:0:1:1 "
				 "--begin\nOPROFILE_KERNEL_RANGE=ffff0000,ffff9999\n"),
	      "%s", text.text);
	strbuf_free(&text);
}

TEST_MAIN()
