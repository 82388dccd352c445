/* SPDX-License-Identifier: GPL-2.0-or-later */
/* place.h - container, pod and unit by the path of a control group */
#ifndef FLEET_PUSH_PLACE_H
#define FLEET_PUSH_PLACE_H

#define PUSH_PLACE_MAX	256

/* What a path does not tell is "". */
struct push_place {
	char container[PUSH_PLACE_MAX];	/* its ID; of LXC its name */
	char pod[PUSH_PLACE_MAX];	/* its UID, with dashes */
	char unit[PUSH_PLACE_MAX];	/* "nginx.service" */
};

/* @cgroup: as in /proc/PID/cgroup, "/system.slice/nginx.service"; any bytes, other users' too. */
void push_place_find(const char *cgroup, struct push_place *ret);

#endif
