# SPDX-License-Identifier: GPL-2.0-or-later
"""deep.py - runs in calls of the interpreter's loop, each of which has many frames and then a bad one

It has few such calls, and a child that it forked has more; prints "ready PID PID" when both are
there. The first call, of the module, is as it should be. For CPython 3.11.
"""
import ctypes
import os
import sys

FRAMES = 900
F_FRAME, PREVIOUS = 24, 48  # in a frame object, and in what that points to

sys.setrecursionlimit(1000000)


def spoil():
    frame, addresses = sys._getframe(), []
    while frame:
        if frame.f_code is enter.__code__:
            addresses.append(ctypes.c_uint64.from_address(id(frame) + F_FRAME).value)
        frame = frame.f_back
    for address in addresses:
        ctypes.c_uint64.from_address(address + PREVIOUS).value = 16


def deeper(n, calls):
    if n:
        return deeper(n - 1, calls)
    if calls:
        return call(calls - 1)
    spoil()
    if child:
        os.read(ends[0], 1)
        print("ready", os.getpid(), child, flush=True)
    else:
        os.write(ends[1], b"x")
    while True:
        pass


def enter(calls):
    return deeper(FRAMES, calls)


def call(calls):
    return sorted([calls], key=enter)


ends = os.pipe()
child = os.fork()
call(0 if child else 5)
