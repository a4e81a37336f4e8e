import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { changeProfile } from '../../src/account/changes.ts';
import { ROTATION_PROCESS } from '../../src/account/paths.ts';
import type { StoredProfile } from '../../src/account/stored-profile.ts';
import { Secret } from '../../src/base/secret.ts';
import type { HttpRequest, HttpResponse, ProgramEnd, World } from '../../src/base/world.ts';
import { runRotationProcess } from '../../src/engine/rotation/process.ts';
import { main } from '../../src/main.ts';
import { refusal, success } from './exchange.ts';
import { leftBehind, type RotationRow, rotationRows } from './rotations.ts';
import { ACCOUNT, type FakeWorld, fakeWorld, type WorldOptions } from './world.ts';

/** Keys that must not appear outside their stores. */
export const OLD = 'key-planted-old-0000000000000001';
export const NEW = 'key-planted-new-0000000000000002';

export const PROFILE: StoredProfile = {
  name: 'main',
  mode: 'live',
  baseUrl: 'https://service.test/v1',
  store: { kind: 'file' },
};

/** A service with one key at a time, whose responses a test can change. */
export interface Service {
  live: string;
  /** Responds to a rotation request; calling `replace` replaces the key. */
  regenerate: (replace: () => HttpResponse, request: HttpRequest) => HttpResponse | Promise<HttpResponse>;
  read: () => HttpResponse;
  /** The paths that were requested. */
  readonly asked: string[];
}

/** A fake program: what it does with its input. */
export type Program = (input: string) => ProgramEnd | Promise<ProgramEnd>;
export const ended = (code: number | null, stdout = ''): ProgramEnd => ({ kind: 'ended', code, stdout });

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Bench {
  readonly world: FakeWorld;
  readonly service: Service;
  /** The programs that exist, by name. */
  readonly programs: Record<string, Program>;
  /** Runs the rotation process; `usual` is the real one. */
  rotationProcess: (usual: () => Promise<ProgramEnd>) => ProgramEnd | Promise<ProgramEnd>;
  run(argv: readonly string[], more?: Partial<World>): Promise<Ran>;
  /** Runs a command that must exit with `code`, and returns the error it printed as JSON. */
  refused(argv: readonly string[], code: number, more?: Partial<World>): Promise<PrintedError>;
  readonly secrets: string;
  storedKey(): string;
  rows(): (readonly [RotationRow['stage'], RotationRow['state']])[];
  left(): string[];
  /** Replaces the store's folder with a file. */
  breakStore(): void;
  /** Restores the store's folder, empty. */
  repairStore(): void;
}

export interface PrintedError {
  readonly code: string;
  readonly message: string;
  readonly hint: string;
}

export const ROTATE = ['keys', 'rotate', '--profile', 'main', '--yes', '--no-input', '-o', 'json'];
export const RESUME_COMMAND = ['keys', 'rotate', '--resume', '--profile', 'main', '-o', 'json'];

function newService(): Service {
  const service: Service = {
    live: OLD,
    regenerate: (replace) => replace(),
    read: () => success({ publicKey: 'ab'.repeat(32) }),
    asked: [],
  };
  return service;
}

async function answer(service: Service, request: HttpRequest): Promise<HttpResponse> {
  service.asked.push(new URL(request.url).pathname.replace('/v1', ''));
  if (request.headers['x-api-key'] !== service.live) return refusal(401, '03', 'Invalid API key');
  if (!request.url.endsWith('/regenerateapikey')) return service.read();
  const replace = () => {
    service.live = NEW;
    return success({ apiKey: NEW, rotatedAt: '2026-01-05T09:00:00.000Z' });
  };
  return service.regenerate(replace, request);
}

/** Runs the rotation process in this process, with its own input and output. */
async function rotationProcessIn(world: World, input: string): Promise<ProgramEnd> {
  let stdout = '';
  const write = async (text: string) => {
    stdout += text;
  };
  const stdin = { isTerminal: false, readAll: async () => input };
  const own = { ...world, stdin, stdout: { ...world.stdout, write }, interrupted: new AbortController().signal };
  return ended(await runRotationProcess(own), stdout);
}

/** Returns the journal's files as text; they must not contain a key. */
function journalBytes({ stateDir }: FakeWorld): string {
  if (!statSync(stateDir, { throwIfNoEntry: false })?.isDirectory()) return '';
  const names = readdirSync(stateDir).filter((name) => name.startsWith('journal.db'));
  return names.map((name) => readFileSync(join(stateDir, name), 'latin1')).join('');
}

/** Creates an account with a planted key, and its service. Every run is checked for leaked keys. */
export async function bench(stored: StoredProfile | undefined = PROFILE, options: WorldOptions = {}): Promise<Bench> {
  const service = newService();
  const programs: Record<string, Program> = {};
  const runProgram: World['runProgram'] = async (words, { input = '' }) => {
    expect(words.join(' ')).not.toContain('key-planted');
    if (words.at(-1) === ROTATION_PROCESS) return made.rotationProcess(() => rotationProcessIn(world, input));
    return programs[words[0] ?? '']?.(input) ?? { kind: 'missing' };
  };
  const network = (request: HttpRequest) => answer(service, request);
  const env = { FIATRAIL_JOURNAL_ID: ACCOUNT.FIATRAIL_JOURNAL_ID, ...options.env };
  const plain = fakeWorld({ ...options, env, network, runProgram });
  const world = { ...plain, findProgram: (name: string) => (name in programs ? `/bin/${name}` : undefined) };
  if (stored)
    await changeProfile(world, stored.name, () => stored, stored.store.kind === 'file' ? new Secret(OLD) : undefined);
  const secrets = join(world.homeDir, 'config', 'secrets');
  const made: Bench = {
    world,
    service,
    programs,
    rotationProcess: (usual) => usual(),
    secrets,
    run: async (argv, more = {}) => {
      const [out, err] = [world.stdout.text().length, world.stderr.text().length];
      const code = await main(argv, { ...world, ...more });
      const [stdout, stderr] = [world.stdout.text().slice(out), world.stderr.text().slice(err)];
      expect(stderr + (argv.includes('--print-key') ? '' : stdout)).not.toContain('key-planted');
      expect(journalBytes(world)).not.toContain('key-planted');
      return { code, stdout, stderr };
    },
    refused: async (argv, expected, more) => {
      const { code, stdout, stderr } = await made.run(argv, more);
      expect({ code, stdout }, stderr).toEqual({ code: expected, stdout: '' });
      const { error } = JSON.parse(stderr.trim().split('\n').at(-1) ?? '') as { error: PrintedError };
      return error;
    },
    storedKey: () => readFileSync(join(secrets, 'main.api-key'), 'utf8').trim(),
    rows: () => rotationRows(homeOf(world)).map(({ stage, state }) => [stage, state] as const),
    left: () => leftBehind(homeOf(world)),
    breakStore: () => {
      rmSync(secrets, { recursive: true });
      writeFileSync(secrets, 'in the way');
    },
    repairStore: () => {
      rmSync(secrets);
      mkdirSync(secrets, { mode: 0o700 });
    },
  };
  return made;
}

const homeOf = ({ homeDir, stateDir }: FakeWorld) => ({ path: homeDir, stateDir, env: {} });
