// SPDX-License-Identifier: GPL-2.0-or-later
/* session_dir.c - sessions are not written where other users could plant links [SM-68] */
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>
#include "libsampler/oprofsampler.h"
#include "tests/tap.h"
#include "tests/unit/tmpdir.h"

#define NOBODY	65534

static int builder_for(const char *dir, const char *says)
{
	struct sampler_builder b = { 0 };
	struct sampler_error e = { "" };
	int err = sampler_session_builder(dir, &b, &e);

	CHECK(!err || strstr(e.text, says), "'%s'", e.text);
	if (!err)
		sampler_builder_free(&b);
	return err;
}

static int with_mode(mode_t mode)
{
	const char *dir = tmpdir_path("session");

	CHECK(!chmod(dir, mode), "chmod");
	return builder_for(dir, "is writable by other users");
}

TEST(write_permission)
{
	tmpdir_make();
	CHECK(!mkdir(tmpdir_path("session"), 0755), "a folder");
	CHECK(!with_mode(0755) && !with_mode(0700) && !with_mode(01777), "only its owner");
	CHECK(!with_mode(0775), "and the group that the process runs as");
	CHECK(with_mode(0777) == -EPERM, "everybody");
	if (getuid())
		SKIP("cannot give folders away");
	CHECK(!chown(tmpdir_path("session"), 0, NOBODY), "another group");
	CHECK(with_mode(0775) == -EPERM && !with_mode(0755), "may, and may not");
}

TEST(owner)
{
	char link[4096];

	if (getuid())
		SKIP("cannot give folders away");
	tmpdir_make();
	snprintf(link, sizeof(link), "%s", tmpdir_path("link"));
	CHECK(!mkdir(tmpdir_path("session"), 0755) && !symlink("session", link), "made");
	CHECK(!builder_for(link, ""), "a link of our own");
	CHECK(!lchown(link, NOBODY, 0), "another's");
	CHECK(builder_for(link, "is a link of another user") == -EPERM, "is not followed");
	CHECK(!chown(tmpdir_path("session"), NOBODY, 0), "another's");
	CHECK(builder_for(tmpdir_path("session"), "belongs to another user") == -EPERM, "nor used");
}


/* It is checked again before writing. */
TEST(changed_meanwhile)
{
	struct sampler_builder b;
	struct sampler_error e = { "" };
	struct sampler_params params = SAMPLER_PARAMS;
	struct sampler_profiler *p = NULL;
	struct sampler_thread self;

	tmpdir_make();
	CHECK(!sampler_session_builder(tmpdir_path("session"), &b, &e), "%s", e.text);
	CHECK(!chmod(tmpdir_path("session"), 0777), "chmod");
	params.samples = 1;
	CHECK(!sampler_thread_self(&self) && !sampler_create(&self, &params, &b, &p) &&
	      !sampler_start(p), "one sample");
	CHECK(sampler_join(p, &e) == -EPERM && strstr(e.text, "other users"), "'%s'", e.text);
	CHECK(access(tmpdir_path("session/samples"), F_OK), "and nothing is made");
	sampler_destroy(p);
}

TEST_MAIN()
