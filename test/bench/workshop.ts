import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { appendFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const REPOSITORY = join(import.meta.dirname, '..', '..');

/** A command line that can be run any number of times. */
export interface Command {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** A server that is ready, with its startup message. */
export interface Served {
  readonly url: string;
  readonly apiKey: string;
  readonly pid: number;
}

/** A temporary folder and the servers of a benchmark. Both are removed when the process ends. */
export interface Workshop {
  readonly folder: string;
  /** Node with these arguments. */
  node(args: readonly string[], extra?: Readonly<Record<string, string>>): Command;
  /** fiatrail with these arguments; `state` names its sandbox folder. */
  fiatrail(state: string, args: readonly string[], extra?: Readonly<Record<string, string>>): Command;
  /**
   * Copies the program with code added to some files of dist/, and returns how to run the copy. It has a code cache of its own, which
   * would otherwise contain the files without it.
   */
  variant(name: string, files: Readonly<Record<string, string>>): Workshop['fiatrail'];
  /** Another program; undefined if it is not installed. */
  program(name: string, args: readonly string[]): Command | undefined;
  /** Starts a server; resolves with the JSON line that it prints when it is ready. */
  serve(command: Command): Promise<Served>;
  /** Starts a server that prints nothing when it is ready; resolves once its URL answers. */
  start(command: Command, url: string): Promise<Served>;
  /** Stops a server and waits for it. */
  stop(served: Served): Promise<void>;
}

/** Opens the workshop. Throws if the program is not built. */
export function openWorkshop(): Workshop {
  if (!existsSync(join(REPOSITORY, 'dist', 'build.json'))) throw new Error('dist/ is missing; run npm run build first');
  const root = mkdtempSync(join(tmpdir(), 'fiatrail-bench-'));
  const children = new Map<number, ChildProcess>();
  process.on('exit', () => {
    for (const child of children.values()) child.kill('SIGKILL');
    rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
  // A copy, so that a build in the meantime has no effect.
  const copy = join(root, 'fiatrail');
  for (const name of ['bin', 'dist', 'package.json'])
    cpSync(join(REPOSITORY, name), join(copy, name), { recursive: true });
  const env = environmentIn(root);
  const node: Workshop['node'] = (args, extra = {}) => ({ file: process.execPath, args, env: { ...env, ...extra } });
  return {
    folder: root,
    node,
    fiatrail: (state, args, extra = {}) =>
      node([join(copy, 'bin', 'fiatrail.js'), ...args], { FIATRAIL_STATE_DIR: join(root, 'state', state), ...extra }),
    variant: (name, files) => {
      const other = join(root, name);
      cpSync(copy, other, { recursive: true });
      for (const [file, by] of Object.entries(files)) {
        const path = join(other, 'dist', file);
        if (!existsSync(path)) throw new Error(`dist/${file} does not exist`);
        appendFileSync(path, readFileSync(by));
      }
      const cache = join(root, `${name}-cache`);
      mkdirSync(cache, { mode: 0o700 });
      return (state, args, extra = {}) =>
        node([join(other, 'bin', 'fiatrail.js'), ...args], {
          FIATRAIL_STATE_DIR: join(root, 'state', state),
          XDG_CACHE_HOME: cache,
          ...extra,
        });
    },
    program: (name, args) =>
      spawnSync(name, ['--version'], { stdio: 'ignore' }).error ? undefined : { file: name, args, env },
    serve: (command) => serve(command, children),
    start: (command, url) => start(command, url, children),
    stop: async ({ pid }) => {
      const child = children.get(pid);
      if (!child || child.exitCode !== null) return;
      child.kill('SIGTERM');
      await new Promise((resolve) => child.once('exit', resolve));
    },
  };
}

/** Passes on only PATH: no settings of Node or fiatrail. */
function environmentIn(root: string): Record<string, string> {
  const folder = (name: string) => {
    mkdirSync(join(root, name), { mode: 0o700 });
    return join(root, name);
  };
  return {
    PATH: process.env['PATH'] ?? '',
    HOME: folder('home'),
    XDG_CACHE_HOME: folder('cache'),
    FIATRAIL_CONFIG_DIR: folder('config'),
  };
}

type Child = ChildProcess & { readonly pid: number };

function spawnServer(
  { file, args, env }: Command,
  stdout: 'pipe' | 'ignore',
  children: Map<number, ChildProcess>,
): Child {
  const child = spawn(file, args, { env, stdio: ['ignore', stdout, 'ignore'] });
  const { pid } = child;
  if (pid === undefined) throw new Error(`${file} did not start`);
  children.set(pid, child);
  child.once('exit', () => children.delete(pid));
  return child as Child;
}

const RETRY_MS = 50;

async function start(command: Command, url: string, children: Map<number, ChildProcess>): Promise<Served> {
  const child = spawnServer(command, 'ignore', children);
  for (;;) {
    const isReady = await fetch(url).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isReady) return { url, apiKey: '', pid: child.pid };
    if (child.exitCode !== null) throw new Error(`${command.args.join(' ')} ended with ${child.exitCode}`);
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}

async function serve(command: Command, children: Map<number, ChildProcess>): Promise<Served> {
  const { args } = command;
  const child = spawnServer(command, 'pipe', children);
  const line = await new Promise<string>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`${args.join(' ')} ended with ${code} before it was ready`)));
    if (child.stdout) createInterface(child.stdout).once('line', resolve);
  });
  return { apiKey: '', ...(JSON.parse(line) as { url: string; apiKey?: string }), pid: child.pid };
}
