import { expect, test } from 'vitest';
import { SECRET_VARIABLES } from '../../src/base/secret.ts';
import { runProgram } from '../../src/system/processes.ts';

test('another program gets none of our secrets in its environment, and what it needs', async () => {
  const secrets = Object.fromEntries(SECRET_VARIABLES.map((name) => [name, `the-secret-of-${name}`]));
  const env = { PATH: process.env['PATH'], ...secrets };
  const options = { timeoutMs: 60_000, isShell: true, env: { FIATRAIL_EVENT: 'user.onboarded' } };
  const end = await runProgram(['env'], options, env, new AbortController().signal);
  if (end.kind !== 'ended') throw new Error(end.kind);
  expect(SECRET_VARIABLES.length).toBe(3);
  expect(end.stdout).toContain('FIATRAIL_EVENT=user.onboarded');
  expect(end.stdout).not.toContain('the-secret-of');
});

test('a program that needs few variables gets those alone', async () => {
  const env = {
    PATH: process.env['PATH'],
    NOTIFY_SOCKET: '/run/notify',
    PGPASSWORD: 'a-password',
    FIATRAIL_API_KEY: 'a-key',
  };
  const options = { timeoutMs: 60_000, isShell: true, variables: ['PATH', 'NOTIFY_SOCKET'] };
  const end = await runProgram(['env'], options, env, new AbortController().signal);
  if (end.kind !== 'ended') throw new Error(end.kind);
  expect(end.stdout).toContain('NOTIFY_SOCKET=/run/notify');
  expect(end.stdout).not.toMatch(/a-password|a-key/);
});
