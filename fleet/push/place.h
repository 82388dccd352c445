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
	char pod_name[PUSH_PLACE_MAX], pod_namespace[PUSH_PLACE_MAX];
};

/* @cgroup: as in /proc/PID/cgroup, "/system.slice/nginx.service"; any bytes, other users' too. */
void push_place_find(const char *cgroup, struct push_place *ret);

/*
 * Set the names of the pod with the UID p->pod by the folder in which the kubelet has a folder
 * "NAMESPACE_NAME_UID" for each pod of the node. Pods have no UID of another, so names are right
 * whenever they are found; they are not found when the pod is gone.
 */
#define PUSH_POD_LOGS	"/var/log/pods"
void push_place_name_pod(const char *pod_logs, struct push_place *p);

#endif
