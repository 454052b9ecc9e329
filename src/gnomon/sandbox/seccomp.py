"""The filter of system calls: what data analysis needs is allowed by name, everything else is refused.

The program is plain BPF, assembled here for the machine it runs on.
"""

from __future__ import annotations

import errno
import platform
import struct
from collections.abc import Iterable

from gnomon.core.errors import ToolUnavailable

_ALLOW, _ERRNO, _KILL = 0x7FFF0000, 0x00050000, 0x80000000
_LOAD, _JUMP_EQUAL, _JUMP_AT_LEAST, _AND, _RETURN = 0x20, 0x15, 0x35, 0x54, 0x06
_NUMBER, _ARCH = 0, 4
_ARCHES = {"x86_64": (0xC000003E, 0), "aarch64": (0xC00000B7, 1)}
_X32 = 0x40000000
_LATEST = 469  # calls that are newer than this table do not exist for the worker

# Name, number on x86_64, number on aarch64 (- where the architecture has no such call).
_ALLOWED = """
read 0 63|write 1 64|open 2 -|close 3 57|stat 4 -|fstat 5 80|lstat 6 -|poll 7 -|lseek 8 62|mprotect 10 226
munmap 11 215|brk 12 214|rt_sigaction 13 134|rt_sigprocmask 14 135|rt_sigreturn 15 139|pread64 17 67|pwrite64 18 68
readv 19 65|writev 20 66|access 21 -|pipe 22 -|select 23 -|sched_yield 24 124|mremap 25 216|msync 26 227|mincore 27 232
madvise 28 233|dup 32 23|dup2 33 -|pause 34 -|nanosleep 35 101|getitimer 36 102|alarm 37 -|setitimer 38 103|getpid 39 172
sendfile 40 71|sendto 44 206|recvfrom 45 207|sendmsg 46 211|recvmsg 47 212|shutdown 48 210|getsockname 51 204
getpeername 52 205|setsockopt 54 208|getsockopt 55 209|fork 57 -|vfork 58 -|execve 59 221|exit 60 93|wait4 61 260
uname 63 160|fcntl 72 25|flock 73 32|fsync 74 82|fdatasync 75 83|ftruncate 77 46|getdents 78 -|getcwd 79 17|chdir 80 49
fchdir 81 50|rename 82 -|mkdir 83 -|rmdir 84 -|creat 85 -|link 86 -|unlink 87 -|symlink 88 -|readlink 89 -|umask 95 166
gettimeofday 96 169|getrlimit 97 163|getrusage 98 165|sysinfo 99 179|times 100 153|getuid 102 174|getgid 104 176
geteuid 107 175|getegid 108 177|getppid 110 173|getpgrp 111 -|getgroups 115 158|getresuid 118 148|getresgid 120 150
getpgid 121 155|getsid 124 156|capget 125 90|rt_sigpending 127 136|rt_sigtimedwait 128 137|rt_sigsuspend 130 133
sigaltstack 131 132|statfs 137 43|fstatfs 138 44|getpriority 140 141|sched_getparam 143 121|sched_getscheduler 145 120
sched_get_priority_max 146 125|sched_get_priority_min 147 126|arch_prctl 158 -|setrlimit 160 164|gettid 186 178
readahead 187 213|getxattr 191 8|lgetxattr 192 9|fgetxattr 193 10|listxattr 194 11|llistxattr 195 12|flistxattr 196 13
time 201 -|futex 202 98|sched_getaffinity 204 123|epoll_create 213 -|getdents64 217 61|set_tid_address 218 96
restart_syscall 219 128|fadvise64 221 223|timer_create 222 107|timer_settime 223 110|timer_gettime 224 108
timer_getoverrun 225 109|timer_delete 226 111|clock_gettime 228 113|clock_getres 229 114|clock_nanosleep 230 115
exit_group 231 94|epoll_wait 232 -|epoll_ctl 233 21|get_mempolicy 239 236|waitid 247 95|openat 257 56|mkdirat 258 34
newfstatat 262 79|unlinkat 263 35|renameat 264 38|linkat 265 37|symlinkat 266 36|readlinkat 267 78|faccessat 269 48
pselect6 270 72|ppoll 271 73|set_robust_list 273 99|sync_file_range 277 84|epoll_pwait 281 22|timerfd_create 283 85
eventfd 284 -|fallocate 285 47|timerfd_settime 286 86|timerfd_gettime 287 87|signalfd4 289 74|eventfd2 290 19
epoll_create1 291 20|dup3 292 24|pipe2 293 59|preadv 295 69|pwritev 296 70|getcpu 309 168|renameat2 316 276
getrandom 318 278|execveat 322 281|membarrier 324 283|copy_file_range 326 285|preadv2 327 286|pwritev2 328 287
statx 332 291|rseq 334 293|close_range 436 436|openat2 437 437|faccessat2 439 439|epoll_pwait2 441 441
futex_waitv 449 449|futex_wake 454 454|futex_wait 455 455|futex_requeue 456 456
"""
# Harmless on files of one's own; without a private file system they would reach other files of the same user, and
# processes that leave the group could not be ended together.
_OWN_FILES = """
truncate 76 45|chmod 90 -|fchmod 91 52|utime 132 -|utimes 235 -|futimesat 261 -|fchmodat 268 53|utimensat 280 88
fchmodat2 452 452|setpgid 109 154|setsid 112 157
"""
_SIGNALS = "kill 62 129|tkill 200 130|tgkill 234 131"
_CHECKED = {
    "mmap": (9, 222),
    "ioctl": (16, 29),
    "socketpair": (53, 199),
    "clone": (56, 220),
    "prctl": (157, 167),
    "prlimit64": (302, 261),
    "clone3": (435, 435),
}
_NEW_NAMESPACES = 0x7E020000
_SHARED_AND_ANONYMOUS = 0x21
# Asking about a terminal, about bytes that wait, and closing on exec; none that types into a terminal.
_IOCTLS = (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)
# Signal at the parent's death, dumpable (read), names, seccomp and new privileges (read), transparent huge pages.
_PRCTLS = (1, 2, 3, 15, 16, 21, 23, 39, 41, 42, 0x53564D41)


def syscall_filter(*, own_files: bool, own_processes: bool, machine: str | None = None) -> bytes:
    """The BPF program for a worker.

    Args:
        own_files: Whether the worker sees only files that are its own (a mount namespace).
        own_processes: Whether the worker can signal only its own processes (a process namespace, or Landlock).
        machine: Architecture as ``uname -m`` has it; this one by default.

    Raises:
        ToolUnavailable: There is no table for the architecture.
    """
    machine = machine or platform.machine()
    if machine not in _ARCHES:
        raise ToolUnavailable(
            f"The sandbox has no list of system calls for {machine}.",
            suggestions=[
                "Use an x86_64 or aarch64 machine.",
                "See docs/sandbox.md for running without walls.",
            ],
        )
    arch, column = _ARCHES[machine]
    lists = [_ALLOWED] + [_OWN_FILES] * own_files + [_SIGNALS] * own_processes
    program = [
        _op(_LOAD, _ARCH),
        _op(_JUMP_EQUAL, arch, 1, 0),
        _op(_RETURN, _KILL),
        _op(_LOAD, _NUMBER),
        _op(_JUMP_AT_LEAST, _X32, 0, 1),
        _op(_RETURN, _KILL),
        _op(_JUMP_AT_LEAST, _LATEST, 0, 1),
        _op(_RETURN, _ERRNO | errno.ENOSYS),
    ]
    for name, block in _blocks().items():
        program += [_op(_JUMP_EQUAL, _CHECKED[name][column], 0, len(block)), *block]
    for number in _numbers(lists, column):
        program += [_op(_JUMP_EQUAL, number, 0, 1), _op(_RETURN, _ALLOW)]
    program.append(_op(_RETURN, _ERRNO | errno.EPERM))
    return b"".join(program)


def _numbers(lists: Iterable[str], column: int) -> list[int]:
    rows = [
        row.split() for text in lists for line in text.split("\n") for row in line.split("|") if row.strip()
    ]
    return [int(row[1 + column]) for row in rows if row[1 + column] != "-"]


def _blocks() -> dict[str, list[bytes]]:
    """Calls that are allowed with some arguments only; each block ends with a verdict."""
    return {
        "mmap": [  # shared memory without a file is counted nowhere
            _op(_LOAD, _argument(3)),
            _op(_AND, _SHARED_AND_ANONYMOUS),
            _op(_JUMP_EQUAL, _SHARED_AND_ANONYMOUS, 1, 0),
            _op(_RETURN, _ALLOW),
            _op(_RETURN, _ERRNO | errno.EPERM),
        ],
        "clone": [
            _op(_LOAD, _argument(0)),
            _op(_AND, _NEW_NAMESPACES),
            _op(_JUMP_EQUAL, 0, 0, 1),
            _op(_RETURN, _ALLOW),
            _op(_RETURN, _ERRNO | errno.EPERM),
        ],
        # Its flags lie in memory where no filter can see them; the C library then uses clone.
        "clone3": [_op(_RETURN, _ERRNO | errno.ENOSYS)],
        # Streams only: a datagram socket could send to any name afterwards.
        "socketpair": [
            _op(_LOAD, _argument(0)),
            _op(_JUMP_EQUAL, 1, 0, 4),
            _op(_LOAD, _argument(1)),
            _op(_AND, 0xF),
            _op(_JUMP_EQUAL, 1, 0, 1),
            _op(_RETURN, _ALLOW),
            _op(_RETURN, _ERRNO | errno.EPERM),
        ],
        "ioctl": _one_of(1, _IOCTLS, errno.ENOTTY),
        "prctl": _one_of(0, _PRCTLS, errno.EPERM),
        "prlimit64": _one_of(0, (0,), errno.EPERM),
    }


def _one_of(argument: int, values: tuple[int, ...], otherwise: int) -> list[bytes]:
    block = [_op(_LOAD, _argument(argument))]
    for value in values:
        block += [_op(_JUMP_EQUAL, value, 0, 1), _op(_RETURN, _ALLOW)]
    return [*block, _op(_RETURN, _ERRNO | otherwise)]


def _argument(index: int) -> int:
    """Where the lower half of an argument lies; both architectures are little-endian."""
    return 16 + 8 * index


def _op(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("=HBBI", code, if_true, if_false, value)
