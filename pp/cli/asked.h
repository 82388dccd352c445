/* SPDX-License-Identifier: GPL-2.0-or-later */
/* asked.h - what a command line asks for; except for ASKED_WORK all other options are ignored */
#ifndef PP_CLI_ASKED_H
#define PP_CLI_ASKED_H

enum asked { ASKED_WORK, ASKED_HELP, ASKED_USAGE, ASKED_VERSION };

#endif
