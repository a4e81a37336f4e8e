import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readFileSync,
  readSync,
  type Stats,
  statSync,
  writeSync,
} from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { CliError } from '../base/errors.ts';
import type { Exchange, Host, InputStream, OutputStream, ProgramFiles, Prompter, World } from '../base/world.ts';
import { ensurePrivateFolder } from '../files/private-folder.ts';
import { findProgram, limitProcess, runProgram, startProgram, startThread } from './processes.ts';
import { createIds, systemClock, turn } from './time-and-chance.ts';

/** A terminal and npm both pass on a Ctrl-C, so a signal that follows at once is the same one. Nobody presses keys so fast. */
const SAME_SIGNAL_MS = 100;

/** How long the last words may take. */
const LAST_WORDS_MS = 1_000;

/** Windows sends SIGBREAK for Ctrl-Break, and SIGHUP when its window is closed. */
const ENDING_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGBREAK'] as const;

/**
 * Creates the World of this process: its clock, random source, streams, files and network. Signals let a command end in order; with
 * `endsAtOnce`, they end the process at once, and it starts faster.
 */
export function createSystemWorld(files: ProgramFiles, endsAtOnce = false): World {
  silenceSqliteWarning();
  let watched: ReturnType<typeof watchSignals> | undefined;
  const signals = () => {
    watched ??= watchSignals();
    return watched;
  };
  if (!endsAtOnce) signals();
  let network: Promise<Exchange> | undefined;
  return {
    clock: systemClock,
    ids: createIds(),
    get stdin() {
      return inputOf(() => process.stdin, signals().interrupted.signal);
    },
    stdout: outputOf(1, () => process.stdout),
    stderr: outputOf(2, () => process.stderr),
    env: process.env,
    host: thisHost(),
    network: async (request, signal, isRead) => {
      network ??= import('../client/network.ts').then(({ createNetwork }) =>
        createNetwork(process.env, { clock: systemClock, turn }),
      );
      return (await network)(request, signal, isRead);
    },
    probe: async () => (await import('../client/network.ts')).createProbe(process.env),
    prompter: () => openPrompter(signals().interrupted.signal),
    get interrupted() {
      return signals().interrupted.signal;
    },
    get abandoned() {
      return signals().abandoned.signal;
    },
    platform: process.platform,
    nodeVersion: process.versions.node,
    userId: process.getuid?.(),
    get cwd() {
      return process.cwd();
    },
    self: files.isBinary ? [process.execPath] : [process.execPath, launcherOf(files)],
    ...ownFiles(files),
    runProgram: (...program) =>
      runProgram(...program, process.env, signals().interrupted.signal, signals().abandoned.signal),
    startProgram: (...program) => startProgram(...program, process.env, signals().interrupted.signal),
    inputParts: () => process.stdin,
    findProgram: (name) => findProgram(name, process.env, process.platform),
    get homeDir() {
      return homeFolder();
    },
    readFile: (path, maxBytes) => readBounded(path, maxBytes, signals().interrupted.signal),
    startThread: async (word) =>
      files.isBinary ? startThread(files.read('launcher.js'), word, true) : startThread(launcherOf(files), word),
    exit: (code) => process.exit(code),
    ensurePrivateDir: ensurePrivateFolder,
    turn,
    ...ofProcess,
  };
}

/** What this process takes of the machine. */
const ofProcess = {
  limitProcess,
  steadyMemory,
  meterLoad,
  usedMemoryBytes: () => process.memoryUsage.rss(),
};

/** Where the program's own files are, and whether they are as they were built. */
const ownFiles = (files: ProgramFiles): Pick<World, 'ownFile' | 'checkFiles'> => ({
  ownFile: (name) => (files.isBinary ? Buffer.from(files.read(name), 'latin1') : join(files.root, name)),
  checkFiles: async () => (await import('./own-files.ts')).checkFiles(files),
});

/** Handles the signals that ask a program to end: on the second one it gives up waiting, on the third also its last words. */
function watchSignals() {
  const interrupted = new AbortController();
  const abandoned = new AbortController();
  let lastMs = -SAME_SIGNAL_MS;
  const handle = () => {
    // Monotonic: a clock that is set back must not make the next signal look like this one.
    const nowMs = process.uptime() * 1000;
    if (nowMs - lastMs < SAME_SIGNAL_MS) return;
    lastMs = nowMs;
    if (!interrupted.signal.aborted) return interrupted.abort();
    abandoned.abort();
    setTimeout(() => {
      for (const signal of ENDING_SIGNALS) process.off(signal, handle);
    }, LAST_WORDS_MS).unref();
  };
  for (const signal of ENDING_SIGNALS) process.on(signal, handle);
  return { interrupted, abandoned };
}

function homeFolder(): string {
  const home = process.env['HOME'] || os().homedir();
  // Node accepts an empty or relative HOME. Secrets would then be stored in the current folder.
  return isAbsolute(home) ? home : os().userInfo().homedir;
}

const launcherOf = ({ root }: ProgramFiles) => join(root, 'bin', 'fiatrail.js');

/**
 * Limits the growth of V8's heap. Without it, reading many pages lets the young generation double again and again, and takes
 * a hundred megabytes more. Loaded late, because node:v8 takes a few milliseconds.
 */
function steadyMemory(youngBytes = 0): void {
  const v8 = process.getBuiltinModule('node:v8');
  v8.setFlagsFromString('--heap-growing-percent=30');
  const young = v8.getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')?.space_size ?? 0;
  // The size itself cannot be set in a process that runs, only whether it grows.
  if (young >= youngBytes) v8.setFlagsFromString('--semi-space-growth-factor=1');
}

function meterLoad(): () => number {
  let last = performance.eventLoopUtilization();
  return () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, last);
    last = now;
    return utilization;
  };
}

/** Hides Node 22's warning that node:sqlite is experimental (docs/decisions), and no other warning. */
function silenceSqliteWarning(): void {
  if (!process.versions.node.startsWith('22.')) return;
  const emit = process.emitWarning.bind(process) as (...args: unknown[]) => void;
  process.emitWarning = (...args: unknown[]) => {
    if (!String(args[0]).startsWith('SQLite is an experimental feature')) emit(...args);
  };
}

// Loaded late, because most commands need nothing of it.
const os = () => process.getBuiltinModule('node:os');

function thisHost(): Host {
  return {
    get name() {
      return os().hostname();
    },
    get user() {
      // A container may run as a user id that has no name.
      try {
        return os().userInfo().username;
      } catch {
        return String(process.getuid?.() ?? 'unknown');
      }
    },
    processId: process.pid,
    isRunning,
    runOf,
  };
}

function isRunning(processId: number): boolean {
  if (processId <= 0) return false;
  try {
    process.kill(processId, 0);
    // One that has ended and was not waited for still has its id.
    return !runOf(processId)?.endsWith(ENDED);
  } catch (error) {
    // EPERM: it runs, under another user.
    return (error as { code?: unknown }).code === 'EPERM';
  }
}

/** Where Linux says the state of a process and when it began, counted in words after its name: the name may have anything in it. */
const [STATE, BEGAN] = [0, 19];

/** How the run of a process is marked that has ended and was not waited for. */
const ENDED = '/ended';

/** On Linux: which start of the machine, and how long after it the process began. A process that has ended and was not waited for is another run. */
function runOf(processId: number): string | undefined {
  try {
    const read = (path: string) => readFileSync(path, 'latin1');
    const stat = read(`/proc/${processId}/stat`);
    const words = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const run = `${read('/proc/sys/kernel/random/boot_id').trim()}/${words[BEGAN]}`;
    return words[STATE] === 'Z' ? `${run}${ENDED}` : run;
  } catch {
    return undefined;
  }
}

/** Opens standard input on first use, and not to learn that a file or pipe is no terminal: most commands never need it. */
function inputOf(open: () => NodeJS.ReadStream, interrupted: AbortSignal): InputStream {
  return {
    get isTerminal() {
      return directBytesOf(0) === 0 && open().isTTY === true;
    },
    readAll: (maxBytes) => readStream(open(), 'standard input', maxBytes, interrupted),
  };
}

/** Reads a stream to its end. An interrupt closes it: a read that blocked the process would block its signals too. */
async function readStream(
  stream: NodeJS.ReadableStream & { destroy(): void },
  what: string,
  maxBytes: number,
  interrupted: AbortSignal,
): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  const stop = () => stream.destroy();
  interrupted.addEventListener('abort', stop, { once: true });
  try {
    for await (const chunk of stream) {
      size += chunk.length;
      if (size > maxBytes) throw tooLong(what, maxBytes);
      chunks.push(Buffer.from(chunk));
    }
  } catch (error) {
    throw interrupted.aborted ? new CliError('interrupted', 'interrupted; nothing was sent') : error;
  } finally {
    interrupted.removeEventListener('abort', stop);
  }
  if (interrupted.aborted) throw new CliError('interrupted', 'interrupted; nothing was sent');
  return Buffer.concat(chunks).toString('utf8');
}

/** The capacity of a pipe or socket on Linux: this much can be written without waiting for the reader. */
const PIPE_BYTES = 65_536;

/** Writes the first bytes directly unless the output is a terminal: Node's streams take longer to load than most commands take to print. */
function outputOf(fd: number, open: () => NodeJS.WriteStream): OutputStream {
  const directBytes = directBytesOf(fd);
  return directBytes === 0 ? streamOutput(open()) : directOutput(fd, directBytes, open);
}

function directBytesOf(fd: number): number {
  try {
    const found = fstatSync(fd);
    if (found.isFIFO() || found.isSocket()) return PIPE_BYTES;
    return found.isFile() || isNullDevice(found) ? Number.POSITIVE_INFINITY : 0;
  } catch {
    return 0;
  }
}

function isNullDevice(found: Stats): boolean {
  return found.isCharacterDevice() && process.platform !== 'win32' && found.rdev === statSync('/dev/null').rdev;
}

/** Writes `directBytes` bytes without a stream, so that a slow reader does not block the event loop, and then opens one. */
function directOutput(fd: number, directBytes: number, open: () => NodeJS.WriteStream): OutputStream {
  let left = directBytes;
  let stream: ReturnType<typeof streamOutput> | undefined;
  return {
    isTerminal: false,
    columns: undefined,
    write: async (text) => {
      const bytes = Buffer.from(text);
      const written = stream || bytes.length > left ? 0 : writeNow(fd, bytes);
      left -= written;
      if (written === bytes.length) return;
      stream ??= streamOutput(open());
      await stream.write(bytes.subarray(written));
    },
  };
}

/** Returns how many bytes were written: a non-blocking pipe may be full. */
function writeNow(fd: number, bytes: Buffer): number {
  let written = 0;
  try {
    while (written < bytes.length) written += writeSync(fd, bytes, written);
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'EAGAIN') throw error;
  }
  return written;
}

function streamOutput(stream: NodeJS.WriteStream) {
  // The callback reports a failed write. An unhandled error event would end the process with a stack trace.
  stream.on('error', () => {});
  return {
    isTerminal: stream.isTTY === true,
    get columns() {
      return (stream.isTTY && stream.columns) || undefined;
    },
    write: (text: string | Uint8Array) =>
      new Promise<void>((resolve, reject) => {
        stream.write(text, (error) => {
          if (error) reject(error);
          else resolve();
        });
      }),
  };
}

function tooLong(what: string, maxBytes: number): CliError {
  return new CliError('usage', `${what} is longer than ${maxBytes} bytes`, {
    hint: 'shorten the input; no valid input is this long',
  });
}

async function readBounded(path: string, maxBytes: number, interrupted: AbortSignal): Promise<string> {
  const waiting = openWaiting(path);
  if (waiting) return readStream(waiting, path, maxBytes, interrupted);
  const file = openSync(path, 'r');
  try {
    // The system's error for this does not name the path.
    if (fstatSync(file).isDirectory())
      throw new CliError('usage', `${path} is a folder`, { hint: 'pass the path of a file' });
    const buffer = Buffer.alloc(maxBytes + 1);
    let size = 0;
    for (let read = -1; read !== 0 && size <= maxBytes; size += read)
      read = readSync(file, buffer, size, buffer.length - size, null);
    if (size > maxBytes) throw tooLong(path, maxBytes);
    return buffer.toString('utf8', 0, size);
  } finally {
    closeSync(file);
  }
}

/** Opens a pipe or terminal, which may wait for its writer, as a stream. Returns undefined for anything else. */
function openWaiting(path: string): NodeJS.ReadStream | undefined {
  const found = statSync(path);
  const tty = process.getBuiltinModule('node:tty');
  if (found.isCharacterDevice()) {
    const file = openSync(path, 'r');
    if (tty.isatty(file)) return new tty.ReadStream(file);
    closeSync(file);
  }
  if (!found.isFIFO()) return undefined;
  // Without this flag, opening a FIFO blocks the process until it has a writer.
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const { Socket } = process.getBuiltinModule('node:net');
  return new Socket({ fd: file, readable: true, writable: false }) as NodeJS.ReadStream;
}

async function openPrompter(signal: AbortSignal): Promise<Prompter> {
  const terminal = { input: process.stdin, output: process.stderr, signal, suspend: () => process.kill(0, 'SIGTSTP') };
  if (process.env['TERM'] === 'dumb') return (await import('./plain-prompts.ts')).plainPrompter(terminal);
  return (await import('./prompts.ts')).loadPrompter(terminal);
}
