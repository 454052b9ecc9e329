"""Ways out that code might try. They are texts: nothing in this file runs outside a sandbox.

Code prints ESCAPED where it got what it wanted. ``EVERYWHERE`` holds for both kinds of walls.
"""

from __future__ import annotations

# Calls a system call by number and says so when the kernel did anything but refuse it.
_CALL = """
import ctypes, errno, platform
libc = ctypes.CDLL(None, use_errno=True)
def call(x86, arm, *args):
    number = x86 if platform.machine() == "x86_64" else arm
    ctypes.set_errno(0)
    result = libc.syscall(number, *args)
    refused = result == -1 and ctypes.get_errno() in (errno.EPERM, errno.ENOSYS, errno.EACCES)
    print("refused" if refused else f"ESCAPED: {result} {ctypes.get_errno()}")
"""


def _calls(*lines: str) -> str:
    return _CALL + "\n".join(f"call({line})" for line in lines)


def _tries(code: str) -> str:
    """Success of the last line is an escape; failure is what is hoped for."""
    body = "\n".join("    " + line for line in code.strip().splitlines())
    return f"try:\n{body}\n    print('ESCAPED')\nexcept (OSError, ValueError, ImportError) as e:\n    print('refused', e)"


EVERYWHERE: dict[str, str] = {
    # files
    "a file that was not given": _tries("print(open(SECRET_PATH).read())"),
    "a file through a relative path": _tries("print(open('../../../../../../../..' + SECRET_PATH).read())"),
    "a file through /proc/self/root": _tries("print(open('/proc/self/root' + SECRET_PATH).read())"),
    "a file through a symbolic link": "import os\nos.symlink(SECRET_PATH, 'way')\n"
    + _tries("print(open('way').read())"),
    "a hard link to a file that was not given": _tries("import os\nos.link(SECRET_PATH, 'hard')"),
    "a file through DuckDB": "import duckdb\ntry:\n    rows = duckdb.sql(f\"select * from read_text('{SECRET_PATH}')\").fetchall()\n    if rows: print('ESCAPED', rows)\nexcept duckdb.Error: pass",
    "the users of the machine": _tries("print(open('/etc/passwd').read())"),
    "the passwords of the machine": _tries("print(open('/etc/shadow').read())"),
    "the keys of the machine": _tries("import os\nprint(os.listdir('/etc/ssh'), os.listdir('/root/.ssh'))"),
    "the folder of the secret": _tries("import os\nprint(os.listdir(os.path.dirname(SECRET_PATH)))"),
    "changing the data": _tries("open(sales_path, 'a').write('x')"),
    "replacing the data": _tries("import os\nopen('mine', 'w').close()\nos.replace('mine', sales_path)"),
    "removing the data": _tries("import os\nos.remove(sales_path)"),
    "making the data writable": _tries("import os\nos.chmod(sales_path, 0o777)"),
    "truncating the data": _tries("import os\nos.truncate(sales_path, 0)"),
    "changing the times of the data": _tries("import os\nos.utime(sales_path, (0, 0))"),
    "changing the libraries": _tries("import json\nopen(json.__file__, 'a').write('#')"),
    "changing Gnomon itself": _tries("import gnomon\nopen(gnomon.__file__, 'a').write('#')"),
    "adding a library": _tries(
        "import sysconfig\nopen(sysconfig.get_paths()['purelib'] + '/evil.pth', 'w').write('#')"
    ),
    "writing into the system": _tries("open('/usr/bin/evil', 'w').write('#')"),
    "opening by handle": _calls("304, 265, -100, ctypes.create_string_buffer(64), 0"),
    # devices
    "making a device": _tries("import os, stat\nos.mknod('mem', 0o600 | stat.S_IFCHR, os.makedev(1, 1))"),
    "the memory of the machine": _tries("open('/dev/mem', 'rb').read(1)"),
    "the messages of the kernel": _tries("open('/dev/kmsg').readline()"),
    "the disks": "import glob\nfor disk in glob.glob('/dev/[svx]d*') + glob.glob('/dev/nvme*') + ['/dev/vda']:\n    try:\n        open(disk, 'rb').read(1)\n        print('ESCAPED', disk)\n    except OSError: pass",
    "typing into the terminal": "import fcntl\nfor fd in (0, 1, 2):\n    try:\n        fcntl.ioctl(fd, 0x5412, b'x')\n        print('ESCAPED')\n    except OSError: pass",
    # environment and processes
    "the environment": "import os\nif MARKER in str(dict(os.environ)): print('ESCAPED')",
    "the environment of every process": "import glob\nfor path in glob.glob('/proc/[0-9]*/environ'):\n    try:\n        if MARKER.encode() in open(path, 'rb').read(): print('ESCAPED', path)\n    except OSError: pass",
    "the memory of another process": "import glob, os\nfor path in glob.glob('/proc/[0-9]*/mem'):\n    if path.split('/')[2] != str(os.getpid()):\n        try:\n            open(path, 'r+b')\n            print('ESCAPED', path)\n        except OSError: pass",
    "descriptors left open": "import os, stat\nfor fd in range(3, 128):\n    try: facts = os.fstat(fd)\n    except OSError: continue\n    if stat.S_ISREG(facts.st_mode) or stat.S_ISSOCK(facts.st_mode): print('ESCAPED', fd)",
    "settings of the kernel": _tries("open('/proc/sys/kernel/core_pattern', 'w').write('|/bin/true')"),
    "the magic key of the kernel": _tries("open('/proc/sysrq-trigger', 'w').write('h')"),
    "symbols and memory of the kernel": "for name in ('kcore', 'kallsyms', 'keys', 'iomem', 'modules'):\n    try:\n        if open('/proc/' + name, 'rb').read(64): print('ESCAPED', name)\n    except OSError: pass",
    "signals to the parent": "import os\nfor pid in {HOST_PID, os.getppid()}:\n    for number in (0, 15):\n        try:\n            os.kill(pid, number)\n            if pid == HOST_PID: print('ESCAPED', pid, number)\n        except OSError: pass",
    "signals to another process of this user": _tries("import os\nos.kill(VICTIM_PID, 9)"),
    "a signal through a descriptor": _calls("424, 424, 0, 9, None, 0", "434, 434, 1, 0"),
    "tracing": _calls("101, 117, 16, 1, 0, 0", "101, 117, 0, 0, 0, 0"),
    "reading another process": _calls("310, 270, 1, None, 0, None, 0, 0", "311, 271, 1, None, 0, None, 0, 0"),
    "taking a descriptor of another process": _calls("438, 438, 0, 0, 0"),
    "raising its limits": "import resource\nfor limit in (resource.RLIMIT_NPROC, resource.RLIMIT_DATA, resource.RLIMIT_FSIZE):\n    soft, hard = resource.getrlimit(limit)\n    try:\n        resource.setrlimit(limit, (hard + 1, hard + 1))\n        print('ESCAPED')\n    except (OSError, ValueError): pass",
    "limits of another process": "import resource\ntry:\n    resource.prlimit(VICTIM_PID, resource.RLIMIT_NOFILE, (1, 1))\n    print('ESCAPED')\nexcept (OSError, ValueError): pass",
    # network
    "a port of this machine": _tries(
        "import socket\nsocket.create_connection(('127.0.0.1', PORT), 1).send(b'x')"
    ),
    "a page over HTTP": _tries(
        "import urllib.request\nurllib.request.urlopen(f'http://127.0.0.1:{PORT}/', timeout=1)"
    ),
    "a name on the network": _tries(
        "import socket\nsocket.getaddrinfo('example.org', 80)\nsocket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('192.0.2.1', 53))"
    ),
    "listening": _tries("import socket\nsocket.create_server(('127.0.0.1', 0))"),
    "raw packets": _tries("import socket\nsocket.socket(socket.AF_PACKET, socket.SOCK_RAW)"),
    "the kernel over netlink": _tries("import socket\nsocket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)"),
    "the host of the machine over vsock": _tries("import socket\nsocket.socket(40, socket.SOCK_STREAM)"),
    "a unix socket by its path": _tries(
        "import socket\ns = socket.socket(socket.AF_UNIX)\ns.connect(SOCKET_PATH)"
    ),
    "a unix socket by its abstract name": _tries(
        "import socket\ns = socket.socket(socket.AF_UNIX)\ns.connect('\\0' + ABSTRACT)"
    ),
    "a datagram from a pair of sockets": _tries(
        "import socket\na, b = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)\na.sendto(b'x', SOCKET_PATH)"
    ),
    "another address for a pair of sockets": _tries(
        "import socket\na, b = socket.socketpair()\na.connect(SOCKET_PATH)"
    ),
    # the kernel
    "a user namespace": _calls("272, 97, 0x10000000"),
    "all namespaces": _calls("272, 97, 0x7e020000"),
    "a process in new namespaces": _calls("56, 220, 0x10020000 | 17, 0, 0, 0, 0"),
    "clone3": _calls("435, 435, ctypes.create_string_buffer(88), 88"),
    "joining a namespace": _calls("308, 268, 0, 0"),
    "mounting": _calls(
        "165, 40, b'none', b'/tmp', b'tmpfs', 0, None",
        "166, 39, b'/tmp', 0",
        "428, 428, -100, b'/', 1",
        "430, 430, b'tmpfs', 0",
    ),
    "another root": _calls("161, 51, b'.'", "155, 41, b'.', b'.'"),
    "keys of the kernel": _calls(
        "250, 219, 0, -3, 1", "248, 217, b'user', b'x', b'y', 1, -3", "249, 218, b'user', b'x', None, -3"
    ),
    "programs in the kernel": _calls("321, 280, 0, ctypes.create_string_buffer(128), 128"),
    "page faults in user space": _calls("323, 282, 1"),
    "asynchronous calls": _calls(
        "425, 425, 4, ctypes.create_string_buffer(256)", "206, 0, 4, ctypes.byref(ctypes.c_ulong(0))"
    ),
    "performance counters": _calls("298, 241, ctypes.create_string_buffer(128), 0, -1, -1, 0"),
    "modules of the kernel": _calls("175, 105, None, 0, b''", "313, 273, 0, b'', 0"),
    "another kernel": _calls("246, 104, 0, 0, None, 0", "320, 294, -1, -1, 0, None, 0"),
    "the clock": _calls("227, 112, 0, ctypes.create_string_buffer(16)", "164, 170, None, None"),
    "the name of the machine": _calls("170, 161, b'evil', 4"),
    "restarting the machine": _calls("169, 142, 0, 0, 0, None"),
    "becoming root": _calls(
        "105, 146, 0", "117, 147, 0, 0, 0", "116, 159, 1, ctypes.byref(ctypes.c_uint(0))"
    ),
    "capabilities": _calls(
        "126, 91, (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)(4294967295, 4294967295, 0, 0, 0, 0)"
    ),
    "another personality": _calls("135, 92, 0x0040000"),
    "memory that is counted nowhere": _calls(
        "29, 194, 1, 4096, 0o1600", "319, 279, b'x', 0", "9, 222, None, 4096, 3, 0x21, -1, 0"
    ),
    "watching files of others": _calls(
        "300, 262, 0, 0", "253 if platform.machine() == 'x86_64' else 26, 26, 0"
    ),
    "a call the filter has never heard of": _calls("600, 600", "1000, 1000"),
    "another filter": _calls("317, 277, 1, 0, None"),
    "programs that run as root": "import os, subprocess\nfor path in ('/usr/bin/su', '/usr/bin/mount', '/usr/bin/passwd', '/usr/bin/sudo'):\n    if os.path.exists(path):\n        try: done = subprocess.run([path, '-c', 'id'] if path.endswith('su') else [path, '/proc', '/tmp'], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=5)\n        except (OSError, subprocess.TimeoutExpired): continue\n        if done.returncode == 0: print('ESCAPED', path, done.stdout)",
    # the worker itself
    "an import hook": "import sys\nclass Hook:\n    def find_spec(self, name, path=None, target=None): raise RuntimeError('hooked')\nsys.meta_path.insert(0, Hook())\nsys.modules['json'] = None",
    "patching what the worker uses": "import builtins, json, os, time\nfor module, name in ((json, 'dumps'), (os, 'getpid'), (time, 'perf_counter'), (builtins, 'repr')):\n    setattr(module, name, lambda *a, **k: None)",
    "patching the worker": "import gc\nfor thing in gc.get_objects():\n    if type(thing).__name__ == 'Session': thing.run = lambda header: b'nothing'; thing._limits['artefacts'] = 10**9",
    "emptying the namespace": "globals().clear()",
    "names that are no names": "globals()[5] = 1\nglobals()[('a',)] = 2\nglobals()[None] = 3",
    "a value that lies about itself": "class Evil:\n    shape = property(lambda s: 1 / 0)\n    def __repr__(s): raise SystemExit('x')\n    def __len__(s): return -1\n    __class__ = property(lambda s: dict)\ne = Evil()\ne",
    "an error that lies about itself": "class Evil(BaseException):\n    def __str__(s): raise MemoryError('x')\n    def __repr__(s): raise MemoryError('x')\nraise Evil",
    "a trace function": "import sys, threading\nsys.settrace(lambda *a: 1 / 0)\nthreading.settrace(lambda *a: 1 / 0)",
    "closing its pipes": "import os\nos.closerange(0, 128)",
    "leaving at once": "import os\nos._exit(0)",
    "crashing": "import ctypes\nctypes.string_at(0)",
    "killing itself": "import os\nos.kill(os.getpid(), 9)",
    "two workers after a fork": "import os\nos.fork()\nprint('both')",
    "ending everything it may": "import os\ntry: os.kill(-1, 9)\nexcept OSError: pass",
}

ONLY_BUBBLEWRAP: dict[str, str] = {
    "finding the secret anywhere": "import os\nname = os.path.basename(SECRET_PATH)\nfor folder, folders, files in os.walk('/'):\n    folders[:] = [f for f in folders if f not in ('usr', 'proc', '.venv', 'versions')]\n    if name in files: print('ESCAPED', folder)",
    "processes of the machine": "import os\nif len([p for p in os.listdir('/proc') if p.isdigit()]) > 8: print('ESCAPED')",
    "the name of the machine it runs on": "import socket, os\nif os.uname().nodename != 'sandbox': print('ESCAPED')",
    "what exists outside": "import os\nif os.path.exists(SECRET_PATH): print('ESCAPED')",
    "devices of the network": "import os\nlines = open('/proc/net/dev').read().splitlines()[2:]\nif any(not line.strip().startswith('lo:') for line in lines): print('ESCAPED')",
    "writing beside its folder": "import os\nfor folder in ('/', '/data', '/dev', '/etc', '/proc', '/home', '/var', '/run'):\n    try:\n        open(folder + '/x', 'w').write('x')\n        print('ESCAPED', folder)\n    except OSError: pass",
}
