/* SPDX-License-Identifier: GPL-2.0-or-later */
/* asked.h - what a command line may ask for: the rest of it is void but for ASKED_WORK */
#ifndef PP_CLI_ASKED_H
#define PP_CLI_ASKED_H

enum asked { ASKED_WORK, ASKED_HELP, ASKED_USAGE, ASKED_VERSION };

#endif
