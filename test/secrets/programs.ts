import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Place } from './search.ts';

/** Programs that fiatrail starts. Each records its arguments and environment, but not its input. */
export interface Programs {
  /** Prints the key, which it reads from its own file. */
  readonly keyCommand: string;
  readonly push: string;
  readonly failingPush: string;
  /** For NODE_OPTIONS: a fake @napi-rs/keyring that stores secrets in a file in this folder. */
  readonly keyringHook: string;
  /** What the programs recorded. */
  notes(): Place[];
}

const NOTE = (folder: string) => `
const { writeFileSync } = require('node:fs');
writeFileSync(${JSON.stringify(folder)} + '/' + process.pid + '-' + process.hrtime.bigint(), JSON.stringify({ argv: process.argv, env: process.env }));
`;

const HOOK = (folder: string, store: string) => `
const { Module } = require('node:module');
const { existsSync, readFileSync, writeFileSync } = require('node:fs');
if (process.argv[2] === '__keyring') {${NOTE(folder)}}
const load = () => (existsSync(${JSON.stringify(store)}) ? JSON.parse(readFileSync(${JSON.stringify(store)}, 'utf8')) : {});
class Entry {
  constructor(service, user) { this.name = service + ' ' + user; }
  getPassword() { return load()[this.name] ?? null; }
  setPassword(text) { writeFileSync(${JSON.stringify(store)}, JSON.stringify({ ...load(), [this.name]: text })); }
  deletePassword() { const all = load(); delete all[this.name]; writeFileSync(${JSON.stringify(store)}, JSON.stringify(all)); }
}
const original = Module._load;
Module._load = (name, ...more) => (name === '@napi-rs/keyring' ? { Entry } : original(name, ...more));
`;

/** Writes the programs to a folder that is not searched, except for their records. */
export function writePrograms(folder: string, key: string): Programs {
  const notes = join(folder, 'notes');
  mkdirSync(notes);
  const write = (name: string, text: string) => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  };
  const keyFile = write('key', key);
  const program = (name: string, then: string) => `${process.execPath} ${write(name, `${NOTE(notes)}${then}`)}`;
  const read = "require('node:fs').readFileSync(0);";
  return {
    keyCommand: program(
      'key.cjs',
      `process.stdout.write(require('node:fs').readFileSync(${JSON.stringify(keyFile)}));`,
    ),
    push: program('push.cjs', read),
    // Echoes its input to stderr, as a careless script does.
    failingPush: program('fail.cjs', `process.stderr.write(require('node:fs').readFileSync(0)); process.exitCode = 3;`),
    keyringHook: `--require ${write('hook.cjs', HOOK(notes, join(folder, 'keyring-store')))}`,
    notes: () =>
      readdirSync(notes).map((name) => ({
        name: `a program's words and environment`,
        bytes: readFileSync(join(notes, name)),
      })),
  };
}
