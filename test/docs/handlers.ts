import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { type Home, newHome, type Ran, ROOT, startProgram } from '../support/built.ts';
import { closedPort } from '../support/loopback.ts';

const PAGE = readFileSync(join(ROOT, 'docs', 'webhooks.md'), 'utf8');

/** Returns the code block of a language that begins with a comment. */
export function block(language: string, comment: string): string {
  const found = [...PAGE.matchAll(/```(\w+)\n([\s\S]*?)```/g)].find(
    ([, name, code]) => name === language && code?.startsWith(comment),
  );
  if (!found?.[2]) throw new Error(`docs/webhooks.md has no ${language} block that begins with ${comment}`);
  return found[2];
}

/** Creates a home in which fiatrail and other packages are installed. */
export function homeWithPackages(...others: readonly string[]): Home {
  const home = newHome(onTestFinished);
  const folder = join(home.path, 'node_modules');
  mkdirSync(folder);
  symlinkSync(ROOT, join(folder, 'fiatrail'));
  for (const name of others) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules', name), join(folder, name));
  }
  return home;
}

/** A handler of the page: its language, its file and the packages that it imports. */
export interface Handler {
  readonly language: 'js' | 'python';
  readonly file: string;
  readonly packages: readonly string[];
}

export const NODE: Handler = { language: 'js', file: 'handler.mjs', packages: [] };
export const EXPRESS: Handler = { language: 'js', file: 'express.mjs', packages: ['express'] };
export const HONO: Handler = { language: 'js', file: 'hono.mjs', packages: ['hono', '@hono/node-server'] };
export const PYTHON: Handler = { language: 'python', file: 'handler.py', packages: [] };
export const STANDARD: Handler = { language: 'js', file: 'standard.mjs', packages: ['standardwebhooks'] };

export interface StartedHandler {
  readonly port: number;
  readonly url: string;
  /** Ends the handler, and resolves with the lines that it printed. */
  printed(): Promise<readonly string[]>;
}

/** Writes a handler of the page into a home, starts it, and resolves once it listens. */
export async function startHandler(
  { language, file, packages }: Handler,
  env: Readonly<Record<string, string>>,
): Promise<StartedHandler> {
  const home = homeWithPackages(...packages);
  const port = await closedPort();
  const [program, comment] =
    language === 'python' ? ['python3', `# python3 ${file}`] : [process.execPath, `// node ${file}`];
  writeFileSync(join(home.path, file), block(language, comment));
  const running = startProgram(home, program, [file], { env: { PORT: String(port), ...env } });
  onTestFinished(() => running.kill('SIGKILL'));
  let ended: Ran | undefined;
  const end = running.end.then((ran) => {
    ended = ran;
    return ran;
  });
  while (!(await isListening(port))) {
    if (ended) throw new Error(`${file} ended before it listened:\n${ended.stderr}`);
    await sleep(20);
  }
  const printed = async () => {
    running.kill('SIGKILL');
    return (await end).stdout
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '');
  };
  return { port, url: `http://127.0.0.1:${port}/`, printed };
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.end();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

/** Posts a body with headers, which may be repeated, and resolves with the status. */
export function post(
  port: number,
  headers: Readonly<Record<string, string | readonly string[]>>,
  body: Uint8Array,
): Promise<number> {
  const all: Record<string, string | string[]> = { 'content-type': 'application/json' };
  for (const [name, value] of Object.entries(headers)) all[name] = typeof value === 'string' ? value : [...value];
  return new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port, method: 'POST', headers: all }, (response) => {
      response.resume();
      response.once('end', () => resolve(response.statusCode ?? 0));
    })
      .once('error', reject)
      .end(body);
  });
}
