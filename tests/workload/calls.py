# SPDX-License-Identifier: GPL-2.0-or-later
"""calls.py - calls functions in all ways, and prints each stack of them that there can be

It works once while each call is recorded by sys.setprofile(), and prints the stacks, outermost
function first; then "ready PID PID", of itself and of a child that it forked, and works on.
"""
import os
import sys
import threading

SOURCE = os.path.abspath(__file__)
stacks = set()


def names(frame):
    result = []
    while frame:
        code = frame.f_code
        result.append(f"{code.co_qualname} ({code.co_filename}:{code.co_firstlineno})")
        frame = frame.f_back
    return tuple(reversed(result))


def record(frame, event, argument):
    if event == "call":
        stacks.add(names(frame))


def print_stacks():
    whole = {s[:n] for s in stacks for n in range(1, len(s) + 1)}
    sys.stdout.write("".join(";".join(s) + "\n" for s in whole))
    sys.stdout.flush()


def spin(n=150):
    x = 0
    for i in range(n):
        x += i * i
    return x


def recursive(n):
    return recursive(n - 1) if n else spin()


def called_back(x):
    spin()
    return -x


def through_c(n):
    def again(x):
        return through_c(n - 1) if n else spin()
    return sorted(range(2), key=again) and 0


def generator(n):
    for i in range(n):
        yield spin() + i


def outer_generator():
    yield from generator(3)
    spin()


class Object:
    def __init__(self):
        self.value = spin()

    def __del__(self):
        spin()

    def __add__(self, other):
        return spin()

    @property
    def größe(self):
        return spin()


async def awaited():
    return spin()


async def coroutine():
    spin()
    return await awaited()


def raise_and_catch():
    try:
        [spin() for _ in range(2)].index(spin)
    except ValueError:
        spin()


def work():
    spin()
    recursive(100)
    sorted(range(5), key=called_back)
    through_c(10)
    list(generator(3))
    for _ in outer_generator():
        spin()
    o = Object()
    o + o
    o.größe
    del o
    try:
        coroutine().send(None)
    except StopIteration:
        pass
    raise_and_catch()
    list(map(lambda x: spin(), range(3)))
    eval(compile("spin()", SOURCE, "eval"))


def work_on(times):
    parent = os.getppid()
    while times and os.getppid() == parent:
        work()
        times -= 1


def work_in_thread(times):
    thread = threading.Thread(target=work_on, args=(times,), daemon=True)
    thread.start()
    return thread


def work_in_child(times):
    pid = os.fork()
    if pid:
        return pid
    work_on(times)
    if times < 0:
        os._exit(1)
    sys.setprofile(None)
    print_stacks()
    os._exit(0)


def main(times):
    thread = work_in_thread(times)
    if times > 0:
        thread.join()
    child = work_in_child(times)
    if times > 0:
        os.waitpid(child, 0)
    else:
        print("ready", os.getpid(), child, flush=True)
    work_on(times)


def main_twice():
    threading.setprofile(record)
    sys.setprofile(record)
    for times in 2, -1:
        main(times)
        sys.setprofile(None)
        threading.setprofile(None)
        print_stacks()


main_twice()
