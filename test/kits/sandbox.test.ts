import { existsSync, readdirSync, readlinkSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { controls } from '../../src/contract/control.ts';
import { startSandbox } from '../../src/kits/sandbox.ts';
import { temporaryFolder } from '../support/built.ts';
import { control } from './control.ts';

const withKey = ({ apiKey }: { readonly apiKey: string }) => ({ headers: { 'x-api-key': apiKey } });

describe('a sandbox without a port', () => {
  test('answers its own fetch, and rejects as the service does', async () => {
    await using sandbox = await startSandbox();
    const found = await sandbox.fetch(`${sandbox.url}/getfintechwallet`, withKey(sandbox));
    expect([found.status, ((await found.json()) as { status: string }).status]).toEqual([200, 'Success']);
    const refused = await sandbox.fetch(`${sandbox.url}/getfintechwallet`);
    expect(refused.status).toBe(401);
    const request = new Request(`${sandbox.url}/onboarduser`, {
      method: 'POST',
      headers: { ...withKey(sandbox).headers, 'content-type': 'application/json' },
      body: '{"bvn":"22222222222"}',
    });
    expect((await sandbox.fetch(request)).status).toBe(200);
    await expect(sandbox.fetch('https://elsewhere.test/v1/getfintechwallet')).rejects.toThrow(
      'this sandbox answers at',
    );
  });

  test('drops a connection as a network would', async () => {
    await using sandbox = await startSandbox();
    await control(sandbox, 'faultAdd', { endpoint: 'wallets.get-fintech', kind: 'lost-response' });
    await expect(sandbox.fetch(`${sandbox.url}/getfintechwallet`, withKey(sandbox))).rejects.toThrow(TypeError);
  });

  test('has every control of the sandbox', async () => {
    await using sandbox = await startSandbox();
    expect(Object.keys(sandbox.control)).toHaveLength(controls.length);
    expect(await control(sandbox, 'faultList')).toMatchObject({ faults: [] });
  });
});

test('the clock stands where it was set, and moves only when it is told to', async () => {
  await using sandbox = await startSandbox({ clock: '2026-11-02T09:00:00Z' });
  const now = async () => ((await control(sandbox, 'clock')) as { now: string }).now;
  expect(await now()).toBe('2026-11-02T09:00:00.000Z');
  await control(sandbox, 'advance', { durationMs: 90_000 });
  expect(await now()).toBe('2026-11-02T09:01:30.000Z');
  await expect(startSandbox({ clock: 'tomorrow' })).rejects.toThrow('clock: expected a time, not tomorrow');
});

test('a state file is kept, and two sandboxes in memory share nothing', async () => {
  const state = join(temporaryFolder(afterAll), 'state.db');
  const users = async (path?: string) => {
    await using sandbox = await startSandbox({ state: path });
    const { users: before } = (await control(sandbox, 'status')) as { users: number };
    await control(sandbox, 'seed', { users: 2 });
    return before;
  };
  expect([await users(state), await users(state), await users(), await users()]).toEqual([0, 2, 0, 0]);
});

test('with a port it answers over HTTP until it is closed', async () => {
  const sandbox = await startSandbox({ port: 0 });
  const port = Number(new URL(sandbox.url).port);
  expect((await fetch(`${sandbox.url}/getfintechwallet`, withKey(sandbox))).status).toBe(200);
  await expect(startSandbox({ port })).rejects.toThrow('EADDRINUSE');
  await Promise.all([sandbox.close(), sandbox.close()]);
  await expect(fetch(`${sandbox.url}/getfintechwallet`)).rejects.toThrow();
});

test('delivers the events of the account', async () => {
  const got = Promise.withResolvers<string>();
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    response.end();
    // Setting the URL tries it with a request without a body.
    if (body !== '') got.resolve((JSON.parse(body) as { event: string }).event);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  await using sandbox = await startSandbox();
  const webhookUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  await sandbox.client.call('management.set-webhook', { webhookUrl, enabled: true });
  await sandbox.client.call('users.onboard', { bvn: '22222222222' });
  await control(sandbox, 'settle');
  const { events } = (await control(sandbox, 'events')) as { events: { event: string }[] };
  expect(events.map(({ event }) => event)).toContain(await got.promise);
  server.close();
});

test('many of them leave nothing open', async () => {
  const folder = temporaryFolder(afterAll);
  const hasFiles = existsSync('/proc/self/fd');
  const links = () => readdirSync('/proc/self/fd').flatMap((each) => linkAt(`/proc/self/fd/${each}`) ?? []);
  const files = () => (hasFiles ? links().filter((each) => each.startsWith(folder)).length : 0);
  const resources = () => process.getActiveResourcesInfo().filter((each) => /^(Timeout|TCP|Pipe|FSReq)/.test(each));
  const listeners = () => process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0);
  const before = { resources: resources().length, listeners: listeners() };
  for (let count = 0; count < 20; count += 1) {
    const state = count % 2 === 1 ? join(folder, `${count}.db`) : undefined;
    await using sandbox = await startSandbox({ state, port: count % 5 === 1 ? 0 : undefined });
    await sandbox.client.call('users.onboard', { bvn: '22222222222' });
    if (state && hasFiles) expect(files()).toBeGreaterThan(0);
  }
  expect(files()).toBe(0);
  expect(listeners()).toBe(before.listeners);
  expect(resources().length).toBeLessThanOrEqual(before.resources);
});

/** A file that was closed meanwhile has no link. */
function linkAt(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}
