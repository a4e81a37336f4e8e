import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { newHome, type Ran, ROOT, type Running, startProgram } from '../support/built.ts';
import { must } from '../support/in-process.ts';
import { programForShells } from '../support/shell.ts';

/** The code blocks of a page in one language, in the order of the page. */
export function blocksOf(page: string, language: string): string[] {
  const text = readFileSync(join(ROOT, page), 'utf8');
  return [...text.matchAll(/^```(\w*)\n(.*?)^```$/gms)]
    .filter(([, name]) => name === language)
    .map(([, , code = '']) => code);
}

/** A home with a `fiatrail` in `.local/bin` that runs in this process, and what cron would run in it. */
export interface CronHome {
  readonly path: string;
  /** Writes an executable script into `.local/bin`, where the scripts of the pages look first. */
  install(name: string, script: string): void;
  /** Starts a program in cron's environment: nothing but what is listed here. */
  start(file: string, argv: readonly string[], stdin?: string): Running;
  run(file: string, argv: readonly string[], stdin?: string): Promise<Ran>;
  /** Runs fiatrail in this process, with the files that the scripts use. Throws if it fails. */
  fiatrail(argv: readonly string[], stdin?: string): Promise<string>;
  json<T>(...argv: readonly string[]): Promise<T>;
}

/** Debian's cron sets these; a crontab can set more. */
const CRON = { PATH: '/usr/bin:/bin', SHELL: '/bin/sh', LOGNAME: 'ada' };

export async function cronHome(): Promise<CronHome> {
  const home = newHome(onTestFinished);
  const folder = join(home.path, '.local', 'bin');
  mkdirSync(folder, { recursive: true });
  const env = { ...CRON, HOME: home.path };
  const start: CronHome['start'] = (file, argv, stdin = '') => startProgram({ ...home, env }, file, argv, { stdin });
  const install: CronHome['install'] = (name, script) => {
    writeFileSync(join(folder, name), script);
    chmodSync(join(folder, name), 0o755);
  };
  install('fiatrail', await programForShells(onTestFinished));
  const fiatrail: CronHome['fiatrail'] = async (argv, stdin) => (await must({ ...home, env }, argv, stdin)).stdout;
  return {
    path: home.path,
    install,
    start,
    run: (file, argv, stdin) => start(file, argv, stdin).end,
    fiatrail,
    json: async <T>(...argv: readonly string[]) => JSON.parse(await fiatrail([...argv, '-o', 'json', '-q'])) as T,
  };
}
