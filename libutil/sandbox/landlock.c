// SPDX-License-Identifier: GPL-2.0-or-later
/* landlock.c - which files may be written, checked by the kernel's Landlock (since 5.13) */
#include "libutil/sandbox/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#if __has_include(<linux/landlock.h>) && defined(SYS_landlock_create_ruleset)
#include <linux/landlock.h>

#ifndef LANDLOCK_ACCESS_FS_REFER
#define LANDLOCK_ACCESS_FS_REFER	(1ULL << 13)
#endif
#ifndef LANDLOCK_ACCESS_FS_TRUNCATE
#define LANDLOCK_ACCESS_FS_TRUNCATE	(1ULL << 14)
#endif

#define READING		(LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR)
#define WRITING		(LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_TRUNCATE)
#define IN_FOLDERS	(LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR | \
			 LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_DIR | \
			 LANDLOCK_ACCESS_FS_REFER)
#define NEVER		(LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_MAKE_CHAR | \
			 LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SOCK | \
			 LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_SYM)

/* What is newer than the kernel is not checked: there the filter refuses truncate(). */
static uint64_t known_to(long version)
{
	uint64_t all = READING | WRITING | IN_FOLDERS | NEVER;

	if (version < 2)
		all &= ~(uint64_t)LANDLOCK_ACCESS_FS_REFER;
	if (version < 3)
		all &= ~(uint64_t)LANDLOCK_ACCESS_FS_TRUNCATE;
	return all;
}

static int allow(int ruleset, const char *path, uint64_t checked)
{
	struct landlock_path_beneath_attr rule = { .allowed_access = WRITING };
	struct stat st;
	int err = 0;

	rule.parent_fd = open(path, O_PATH | O_CLOEXEC);
	if (rule.parent_fd < 0)
		return 0;		/* missing: writing there fails, and that is reported */
	if (!fstat(rule.parent_fd, &st) && S_ISDIR(st.st_mode))
		rule.allowed_access |= IN_FOLDERS;
	rule.allowed_access &= checked;
	if (syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0))
		err = -errno;
	close(rule.parent_fd);
	return err;
}

int sandbox_landlock(const struct sandbox *s)
{
	long version = syscall(SYS_landlock_create_ruleset, NULL, 0,
			       LANDLOCK_CREATE_RULESET_VERSION);
	struct landlock_ruleset_attr rules = { 0 };
	int ruleset, err = 0;

	if (version < 0)		/* or a container's filter does not know it */
		return -ENOSYS;
	if (s->moves && version < 2)	/* it refuses them all */
		return -EOPNOTSUPP;
	rules.handled_access_fs = known_to(version);
	if (s->kind == SANDBOX_REPORT)
		rules.handled_access_fs &= ~(uint64_t)READING;
	ruleset = (int)syscall(SYS_landlock_create_ruleset, &rules, sizeof(rules), 0);
	if (ruleset < 0)
		return -errno;
	for (size_t i = 0; s->writable && s->writable[i] && !err; i++)
		err = allow(ruleset, s->writable[i], rules.handled_access_fs);
	if (!err && syscall(SYS_landlock_restrict_self, ruleset, 0))
		err = -errno;
	close(ruleset);
	return err;
}

#else

int sandbox_landlock(const struct sandbox *s)
{
	(void)s;
	return -ENOSYS;
}

#endif
