// SPDX-License-Identifier: GPL-2.0-or-later
/* user.c - the user for parsers */
#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <unistd.h>

#include "libutil/sandbox/capabilities.h"
#include "libutil/sandbox/sandbox.h"

#define NOBODY		65534
#define PARSER_USER	"oprofile"

bool sandbox_user(uid_t *ret_uid, gid_t *ret_gid)
{
	const struct passwd *user = getpwnam(PARSER_USER);

	if (!user || !user->pw_uid)
		return false;
	*ret_uid = user->pw_uid;
	*ret_gid = user->pw_gid;
	return true;
}

int sandbox_drop_user(void)
{
	uid_t uid = NOBODY;
	gid_t gid = NOBODY;
	int err;

	if (geteuid())
		return 0;
	(void)sandbox_user(&uid, &gid);
	/* no longer possible afterwards */
	err = capabilities_keep(CAPABILITY(CAP_SETUID) | CAPABILITY(CAP_SETGID));
	if (err)
		return err;
	if (setgroups(0, NULL) || setresgid(gid, gid, gid) || setresuid(uid, uid, uid))
		return -errno;
	return capabilities_keep(0);
}
