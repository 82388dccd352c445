/* SPDX-License-Identifier: GPL-2.0-or-later */
/* place.h - container, pod and unit by the path of a control group; what the node knows of them */
#ifndef FLEET_PUSH_PLACE_H
#define FLEET_PUSH_PLACE_H

#include <stdbool.h>

#define PUSH_PLACE_MAX	256

/* What a path does not tell is "". */
struct push_place {
	char container[PUSH_PLACE_MAX];	/* its ID; of LXC its name */
	char pod[PUSH_PLACE_MAX];	/* its UID, with dashes */
	char unit[PUSH_PLACE_MAX];	/* "nginx.service" */
	char pod_name[PUSH_PLACE_MAX], pod_namespace[PUSH_PLACE_MAX];
	char version[PUSH_PLACE_MAX];	/* of the service in the container */
	char image[PUSH_PLACE_MAX];	/* its name, with the digest if it was asked for by that */
};

/* @cgroup: as in /proc/PID/cgroup, "/system.slice/nginx.service"; any bytes, other users' too. */
void push_place_find(const char *cgroup, struct push_place *ret);

/*
 * Add what the node knows of the pod and the container: names of the pod by the folder in which the
 * kubelet has a folder "NAMESPACE_NAME_UID" for each; version and image by what the container was
 * started with, OCI's config.json as containerd, Docker, CRI-O and Podman keep it. No pod has the
 * UID of another, nor has a container the ID, so what is found is right whenever it is found; of
 * those that are gone, or if we may not read it, nothing is.
 */
struct push_node {
	const char *root;		/* where its files are: "", but for tests */
	struct dirent **pods;		/* the kubelet's folders, read once */
	int nr_pods;
	bool has_pods;
};
void push_place_look_up(struct push_node *node, struct push_place *p);
void push_node_free(struct push_node *node);

#endif
