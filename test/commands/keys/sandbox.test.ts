import { mkdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { scripted, success } from '../../support/exchange.ts';
import { BOX, LIVE, newMachine } from '../profiles/support.ts';

const MAKE = [
  'keys',
  'sandbox',
  'add',
  '--profile',
  'main',
  '--base-url',
  'https://box.test/v1',
  '--save',
  'made',
  '-o',
  'json',
];
const made = () => success({ apiKey: BOX, fintechId: 'f-1', createdAt: '2026-01-05T09:00:00.000Z' });

test('saves a sandbox key in the given profile', async () => {
  const { add, run, secrets, profile } = newMachine();
  await add('main', LIVE);
  const { exchange, requests } = scripted(made());
  const { code, stdout } = await run(MAKE, { network: exchange });
  expect({ code, savedIn: JSON.parse(stdout).savedIn, secret: secrets()['made.api-key'] }).toEqual({
    code: 0,
    savedIn: 'made',
    secret: BOX,
  });
  expect(profile('made')).toMatchObject({ mode: 'sandbox', baseUrl: 'https://box.test/v1', store: { kind: 'file' } });
  expect(requests[0]?.url).toBe('https://box.test/v1/createsandboxapikey');
});

test('exits with 2 for an unwritable store before it creates the key, and sends nothing', async () => {
  const { add, run, write, at } = newMachine();
  await add('main', LIVE);
  const kept = {
    version: 1,
    name: 'made',
    mode: 'sandbox',
    baseUrl: 'https://box.test/v1',
    store: { kind: 'keyring' },
  };
  write(at('profiles', 'made.json'), JSON.stringify(kept));
  const { exchange, requests } = scripted();
  const runProgram = async () => ({ kind: 'ended', code: 0, stdout: '{"kind":"absent"}' }) as const;
  expect({ code: (await run(MAKE, { network: exchange, runProgram })).code, requests: requests.length }).toEqual({
    code: 2,
    requests: 0,
  });
});

test('exits with 3 for a key that was created but could not be stored', async () => {
  const { add, run, at } = newMachine();
  await add('main', LIVE);
  const { exchange } = scripted(() => {
    mkdirSync(at('profiles', 'made.json'));
    return made();
  });
  const { code, stderr } = await run(MAKE, { network: exchange });
  expect({ code, stderr }).toEqual({
    code: 3,
    stderr: expect.stringContaining('the request was accepted, but a later step failed: '),
  });
});
