"""The filter is run through an interpreter of its own for both architectures, so that each verdict is known."""

from __future__ import annotations

import errno
import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gnomon.core.errors import ToolUnavailable
from gnomon.sandbox.seccomp import syscall_filter

ALLOW, KILL = 0x7FFF0000, 0x80000000
EPERM, ENOSYS, ENOTTY = (0x00050000 | n for n in (errno.EPERM, errno.ENOSYS, errno.ENOTTY))
ARCHES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
MACHINES = pytest.mark.parametrize(("machine", "column"), [("x86_64", 0), ("aarch64", 1)])
# Taken from the tables of the kernel, not from the filter.
FORBIDDEN = {
    "ptrace": (101, 117), "mount": (165, 40), "umount2": (166, 39), "unshare": (272, 97), "setns": (308, 268),
    "pivot_root": (155, 41), "chroot": (161, 51), "bpf": (321, 280), "keyctl": (250, 219), "add_key": (248, 217),
    "request_key": (249, 218), "userfaultfd": (323, 282), "perf_event_open": (298, 241), "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426), "io_uring_register": (427, 427), "init_module": (175, 105), "finit_module": (313, 273),
    "delete_module": (176, 106), "kexec_load": (246, 104), "reboot": (169, 142), "swapon": (167, 224),
    "open_by_handle_at": (304, 265), "name_to_handle_at": (303, 264), "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271), "pidfd_getfd": (438, 438), "pidfd_open": (434, 434), "socket": (41, 198),
    "connect": (42, 203), "bind": (49, 200), "listen": (50, 201), "accept": (43, 202), "mknodat": (259, 33),
    "memfd_create": (319, 279), "shmget": (29, 194), "seccomp": (317, 277), "setuid": (105, 146), "setresuid": (117, 147),
    "capset": (126, 91), "personality": (135, 92), "syslog": (103, 116), "open_tree": (428, 428), "move_mount": (429, 429),
    "fsopen": (430, 430), "fsmount": (432, 432), "mount_setattr": (442, 442), "vmsplice": (278, 75), "splice": (275, 76),
    "kcmp": (312, 272), "quotactl": (179, 60), "acct": (163, 89), "sethostname": (170, 161), "settimeofday": (164, 170),
    "setpriority": (141, 140), "sched_setaffinity": (203, 122), "ioprio_set": (251, 30), "setxattr": (188, 5),
}  # fmt: skip
NEEDED = {
    "read": (0, 63), "write": (1, 64), "openat": (257, 56), "close": (3, 57), "brk": (12, 214), "munmap": (11, 215),
    "futex": (202, 98), "execve": (59, 221), "exit_group": (231, 94), "wait4": (61, 260), "getrandom": (318, 278),
    "clock_gettime": (228, 113), "rt_sigaction": (13, 134), "rt_sigreturn": (15, 139), "statx": (332, 291),
    "newfstatat": (262, 79), "getdents64": (217, 61), "pipe2": (293, 59), "dup3": (292, 24), "epoll_pwait": (281, 22),
    "sched_getaffinity": (204, 123), "set_robust_list": (273, 99), "rseq": (334, 293), "mprotect": (10, 226),
}  # fmt: skip
NUMBERS = {"clone": (56, 220), "mmap": (9, 222), "socketpair": (53, 199), "ioctl": (16, 29), "prctl": (157, 167),
           "prlimit64": (302, 261), "clone3": (435, 435), "chmod": (268, 53), "kill": (62, 129)}  # fmt: skip


def verdict(program: bytes, arch: int, number: int, *args: int) -> int:
    """What the kernel would do; reads and jumps are checked on the way."""
    padded = [*args, *[0] * (6 - len(args))]
    data = struct.pack("<IIQ6Q", number & 0xFFFFFFFF, arch, 0, *[a & (2**64 - 1) for a in padded])
    code = [struct.unpack_from("=HBBI", program, 8 * i) for i in range(len(program) // 8)]
    at = accumulator = 0
    while True:
        operation, yes, no, value = code[at]
        at += 1
        if operation == 0x20:
            assert value % 4 == 0
            (accumulator,) = struct.unpack_from("<I", data, value)
        elif operation == 0x54:
            accumulator &= value
        elif operation == 0x15:
            at += yes if accumulator == value else no
        elif operation == 0x35:
            at += yes if accumulator >= value else no
        else:
            assert operation == 0x06
            return value


def strict(machine: str) -> bytes:
    return syscall_filter(own_files=True, own_processes=True, machine=machine)


@MACHINES
def test_dangerous_calls_are_refused_whatever_their_arguments(machine: str, column: int) -> None:
    for program in (strict(machine), syscall_filter(own_files=False, own_processes=False, machine=machine)):
        for name, numbers in FORBIDDEN.items():
            for argument in (0, 1, 2**32 - 1, 2**64 - 1):
                assert verdict(program, ARCHES[machine], numbers[column], *[argument] * 6) == EPERM, name


@MACHINES
def test_what_python_needs_is_allowed(machine: str, column: int) -> None:
    for name, numbers in NEEDED.items():
        assert verdict(strict(machine), ARCHES[machine], numbers[column]) == ALLOW, name


@MACHINES
def test_calls_of_another_architecture_kill(machine: str, column: int) -> None:
    for arch in {0x40000003, 0x40000028, *ARCHES.values()} - {ARCHES[machine]}:
        assert verdict(strict(machine), arch, NEEDED["read"][column]) == KILL
    assert verdict(strict(machine), ARCHES[machine], 0x40000000 | NEEDED["read"][column]) == KILL


@MACHINES
@given(number=st.integers(469, 0x3FFFFFFF))
def test_calls_of_kernels_to_come_do_not_exist(machine: str, column: int, number: int) -> None:
    assert verdict(strict(machine), ARCHES[machine], number) == ENOSYS


@MACHINES
@settings(max_examples=40)
@given(bits=st.integers(0, 2**64 - 1))
def test_arguments_decide_where_they_matter(machine: str, column: int, bits: int) -> None:
    def of(name: str, *args: int) -> int:
        return verdict(strict(machine), ARCHES[machine], NUMBERS[name][column], *args)

    namespaces = 0x20000 | 0x2000000 | 0x4000000 | 0x8000000 | 0x10000000 | 0x20000000 | 0x40000000
    assert of("clone", bits) == (EPERM if bits & namespaces else ALLOW)
    assert of("mmap", 0, 0, 0, bits) == (EPERM if bits & 1 and bits & 0x20 else ALLOW)
    low = bits & 0xFFFFFFFF
    assert of("prlimit64", bits) == (ALLOW if low == 0 else EPERM)
    assert of("ioctl", 0, bits) == (
        ALLOW if low in {0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451} else ENOTTY
    )
    assert of("socketpair", 1, bits) == (ALLOW if bits & 0xF == 1 else EPERM)
    assert of("socketpair", 2, bits) == EPERM
    assert of("clone3", bits) == ENOSYS
    assert of("prctl", 22) == of("prctl", 38) == EPERM  # neither filters nor privileges are touched again


@MACHINES
def test_without_a_file_system_of_its_own_a_worker_changes_no_modes_and_signals_nobody(
    machine: str, column: int
) -> None:
    weak = syscall_filter(own_files=False, own_processes=False, machine=machine)
    for name in ("chmod", "kill"):
        assert verdict(strict(machine), ARCHES[machine], NUMBERS[name][column]) == ALLOW
        assert verdict(weak, ARCHES[machine], NUMBERS[name][column]) == EPERM


def test_an_architecture_without_a_table_is_refused() -> None:
    with pytest.raises(ToolUnavailable, match="riscv64"):
        syscall_filter(own_files=True, own_processes=True, machine="riscv64")
