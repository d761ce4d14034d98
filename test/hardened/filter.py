"""Runs a program behind the filters of system calls that a unit asks for: filter.py SPECIFICATION PROGRAM [ARGUMENT...]."""
import ctypes
import errno
import json
import os
import socket
import sys

ALLOW = 0x7FFF0000
EQ, GT, MASKED_EQ = 4, 6, 7
NAMESPACES = 0x7E020000
LAST_FAMILY = 64
SET_ID_BITS = (0o4000, 0o2000)
# Where the mode of what a call makes or changes is among its arguments.
MODES = {'chmod': 1, 'fchmod': 1, 'fchmodat': 2, 'mkdir': 1, 'mkdirat': 2, 'mknod': 1, 'mknodat': 2, 'creat': 1}

library = ctypes.CDLL('libseccomp.so.2', use_errno=True)
library.seccomp_init.restype = ctypes.c_void_p


class Compared(ctypes.Structure):
    _fields_ = [('arg', ctypes.c_uint), ('op', ctypes.c_int), ('a', ctypes.c_uint64), ('b', ctypes.c_uint64)]


def refused(code):
    return 0x00050000 | code


class Filter:
    def __init__(self, otherwise):
        self.context = ctypes.c_void_p(library.seccomp_init(ctypes.c_uint32(otherwise)))

    def rule(self, action, name, *compared):
        number = library.seccomp_syscall_resolve_name(name.encode())
        if number < 0:
            return
        array = (Compared * len(compared))(*compared)
        done = library.seccomp_rule_add_array(self.context, ctypes.c_uint32(action), number, len(compared), array)
        if done != 0:
            raise OSError(-done, f'{name}: {os.strerror(-done)}')

    def load(self):
        done = library.seccomp_load(self.context)
        if done != 0:
            raise OSError(-done, os.strerror(-done))


wanted = json.loads(sys.argv[1])
filters = []
if wanted['families']:
    families = Filter(ALLOW)
    known = {getattr(socket, name) for name in wanted['families']}
    for family in set(range(LAST_FAMILY + 1)) - known:
        families.rule(refused(errno.EAFNOSUPPORT), 'socket', Compared(0, EQ, family, 0))
    families.rule(refused(errno.EAFNOSUPPORT), 'socket', Compared(0, GT, LAST_FAMILY, 0))
    filters.append(families)
if wanted['noSetIds']:
    modes = Filter(ALLOW)
    for name, at in MODES.items():
        for bit in SET_ID_BITS:
            modes.rule(refused(errno.EPERM), name, Compared(at, MASKED_EQ, bit, bit))
    filters.append(modes)
if wanted['noNamespaces']:
    spaces = Filter(ALLOW)
    for bit in (1 << at for at in range(32) if NAMESPACES & (1 << at)):
        spaces.rule(refused(errno.EPERM), 'clone', Compared(0, MASKED_EQ, bit, bit))
        spaces.rule(refused(errno.EPERM), 'unshare', Compared(0, MASKED_EQ, bit, bit))
    spaces.rule(refused(errno.EPERM), 'setns')
    # Its flags lie in memory, where no filter sees them; the C library then takes the one before it.
    spaces.rule(refused(errno.ENOSYS), 'clone3')
    filters.append(spaces)
calls = Filter(refused(getattr(errno, wanted['otherwise'])))
for name in wanted['calls']:
    calls.rule(ALLOW, name)
# `seccomp` is of no use to the program, and is what loads the last of them.
for one in [*filters, calls]:
    one.load()
os.execvp(sys.argv[2], sys.argv[2:])
