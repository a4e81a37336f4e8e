import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { fiatrail, type Home, newHome, ROOT, requireBuilt, startProgram } from '../support/built.ts';
import { closedPort } from '../support/loopback.ts';
import { EXAMPLE } from '../webhooks/vectors.ts';

const PAGE = readFileSync(join(ROOT, 'docs', 'webhooks.md'), 'utf8');
const SECRET = 'a-webhook-secret';

/** The code block of a language that begins with a comment. */
function block(language: string, comment: string): string {
  const found = [...PAGE.matchAll(/```(\w+)\n([\s\S]*?)```/g)].find(
    ([, name, code]) => name === language && code?.startsWith(comment),
  );
  if (!found?.[2]) throw new Error(`docs/webhooks.md has no ${language} block that begins with ${comment}`);
  return found[2];
}

beforeAll(requireBuilt);

/** A home in which the package is installed. */
function homeWithPackage(): Home {
  const home = newHome(onTestFinished);
  mkdirSync(join(home.path, 'node_modules'));
  symlinkSync(ROOT, join(home.path, 'node_modules', 'fiatrail'));
  return home;
}

const trigger = (home: Home, port: number, secret: string) =>
  fiatrail(
    home,
    ['webhooks', 'trigger', 'fintech.user.deposit.received', '--to', `http://127.0.0.1:${port}/`, '-o', 'json'],
    {
      env: { FIATRAIL_WEBHOOK_SECRET: secret },
    },
  );

test.each([
  ['js', '// node handler.mjs', 'handler.mjs', process.execPath],
  ['python', '# python3 handler.py', 'handler.py', 'python3'],
])('the %s handler takes what is rightly signed, and nothing else', async (language, comment, name, program) => {
  const home = homeWithPackage();
  const port = await closedPort();
  writeFileSync(join(home.path, name), block(language, comment));
  const running = startProgram(home, program, [name], {
    env: { PORT: String(port), WEBHOOK_SECRET: SECRET, PATH: process.env['PATH'] },
  });
  const printed = running.firstLine();
  // The first requests may come before it listens.
  let taken = await trigger(home, port, SECRET);
  for (let tries = 0; taken.code !== 0 && tries < 50; tries += 1) {
    await sleep(100);
    taken = await trigger(home, port, SECRET);
  }
  const forged = await trigger(home, port, 'another-secret');
  const line = await printed;
  running.kill('SIGKILL');
  await running.end;
  expect({ taken: taken.code, forged: JSON.parse(forged.stdout).status, line }).toEqual({
    taken: 0,
    forged: 401,
    line: expect.stringContaining('fintech.user.deposit.received'),
  });
});

test.each([
  [EXAMPLE.signature, 0],
  [EXAMPLE.signature.replace('b', 'c'), 1],
])('the shell says whether %s is the signature', async (signature, code) => {
  const home = newHome(onTestFinished);
  writeFileSync(join(home.path, 'verify.sh'), block('sh', '# sh verify.sh'));
  const env = { WEBHOOK_SECRET: EXAMPLE.secret, PATH: process.env['PATH'] };
  const argv = ['verify.sh', EXAMPLE.timestamp, signature];
  expect((await startProgram(home, 'sh', argv, { env, stdin: EXAMPLE.body }).end).code).toBe(code);
});
