"""Runs programs on a pseudo-terminal, one after the other, and answers their prompts.

Each line of standard input is a program: {"argv": [...], "env": {...}, "cwd": "...", "columns": 80, "steps": [...]}. A step is {"expect": "text",
"send": "text"}, or {"expect": "text", "find": "a (pattern)", "run": ["program", "{}"]}, which runs another program with {}
replaced by what the group of the pattern matches on the screen.
Such a step may have more variables in "env", and with "isAlone": true the first program stands still meanwhile.
With "rows": 30, the terminal has that many. With "quietSeconds": 0.2, a step is taken once nothing has arrived for that long.
A line of standard output is how it went: {"screen": "everything the terminal received", "code": exit code, "missed": the text that never appeared, or null,
"taken": [how much of the screen had arrived when each step was taken]}.
"""

import fcntl
import json
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time

TIMEOUT_SECONDS = 40


def start(job):
    child, terminal = pty.fork()
    if child == 0:
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", job.get("rows", 24), job["columns"], 0, 0))
        os.chdir(job["cwd"])
        os.execvpe(job["argv"][0], job["argv"], job["env"])
    return child, terminal


def read_some(terminal, deadline):
    """Reads the next output; returns b"" if the program has closed the terminal, None after the time-out."""
    ready, _, _ = select.select([terminal], [], [], max(0, deadline - time.monotonic()))
    if not ready:
        return None
    try:
        return os.read(terminal, 65536)
    except OSError:
        return b""


def settle(terminal, deadline, quiet):
    """Reads until nothing arrives for so many seconds."""
    arrived = b""
    while more := read_some(terminal, min(deadline, time.monotonic() + quiet)):
        arrived += more
    return arrived


def run(step, job, child, screen):
    found = re.search(step["find"], screen.decode("utf8", "replace")).group(1)
    argv = [word.replace("{}", found) for word in step["run"]]
    is_alone = step.get("isAlone", False)
    if is_alone:
        os.kill(child, signal.SIGSTOP)
    subprocess.run(argv, env=job["env"] | step.get("env", {}), cwd=job["cwd"], check=True, capture_output=True)
    if is_alone:
        os.kill(child, signal.SIGCONT)


def act(step, job, child, terminal, screen):
    if "run" in step:
        run(step, job, child, screen)
    else:
        os.write(terminal, step["send"].encode())


def converse(child, terminal, job, taken):
    deadline = time.monotonic() + TIMEOUT_SECONDS
    quiet = job.get("quietSeconds", 0)
    screen, seen = b"", 0
    for step in job["steps"]:
        wanted = step["expect"].encode()
        while screen.find(wanted, seen) == -1:
            more = read_some(terminal, deadline)
            if not more:
                return screen, step["expect"]
            screen += more
        seen = screen.find(wanted, seen) + len(wanted)
        if quiet:
            screen += settle(terminal, deadline, quiet)
        taken.append(len(screen.decode("utf8", "replace")))
        act(step, job, child, terminal, screen)
    while more := read_some(terminal, deadline):
        screen += more
    return screen, "the end of the program" if more is None else None


def play(job):
    child, terminal = start(job)
    taken = []
    screen, missed = converse(child, terminal, job, taken)
    if missed is not None:
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    os.close(terminal)
    code = os.waitstatus_to_exitcode(status)
    return {"screen": screen.decode("utf8", "replace"), "code": code, "missed": missed, "taken": taken}


for line in sys.stdin:
    print(json.dumps(play(json.loads(line))), flush=True)
