import { request } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { newHome } from '../support/built.ts';
import { fiatrail, startFiatrail } from '../support/in-process.ts';

/** Two addresses at one served sandbox: this machine can call from all of 127.0.0.0/8. */

interface Served {
  readonly url: string;
  readonly apiKey: string;
}

/** Returns the status of a plain read from an address. */
function statusFrom({ url, apiKey }: Served, localAddress: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const headers = { 'x-api-key': apiKey };
    request(`${url}/getfees`, { localAddress, headers, agent: false }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode));
    })
      .on('error', reject)
      .end();
  });
}

async function openServed() {
  const home = newHome(onTestFinished);
  const server = startFiatrail(home, ['sandbox', 'serve', '--port', '0', '--rate-limits', 'off', '-o', 'json']);
  onTestFinished(async () => {
    server.kill('SIGTERM');
    await server.end;
  });
  const served = JSON.parse(await server.firstLine()) as Served;
  const env = { FIATRAIL_BASE_URL: served.url, FIATRAIL_API_KEY: served.apiKey };
  const ip = (...argv: string[]) => fiatrail(home, ['ip', ...argv], { env });
  const statuses = async () => [await statusFrom(served, '127.0.0.1'), await statusFrom(served, '127.0.0.2')];
  return { ip, statuses };
}

test('an address that was removed is blocked, and no other', async () => {
  const { ip, statuses } = await openServed();
  expect(await statuses()).toEqual([200, 200]);
  expect((await ip('add', '127.0.0.1', '--label', 'one', '--yes')).code).toBe(0);
  expect(await statuses()).toEqual([200, 403]);
  expect((await ip('add', '127.0.0.2', '--label', 'two')).code).toBe(0);
  expect(await statuses()).toEqual([200, 200]);
  expect((await ip('remove', '127.0.0.1', '--yes')).code).toBe(9);
  expect((await ip('remove', '--index', '0', '--yes')).code).toBe(9);
  expect(await statuses()).toEqual([200, 200]);
  expect((await ip('remove', '127.0.0.2', '--yes')).code).toBe(0);
  expect(await statuses()).toEqual([200, 403]);
});

test('a range that replaces an address takes effect before the address is gone', async () => {
  const { ip, statuses } = await openServed();
  expect((await ip('add', '127.0.0.1', '--yes')).code).toBe(0);
  const { code, stderr } = await ip('replace', '127.0.0.1', '--with', '127.0.0.0/30', '--yes');
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('by the entry 127.0.*.*/30') });
  expect(await statuses()).toEqual([200, 200]);
});

test('a machine that blocked itself can allow itself again', async () => {
  const { ip, statuses } = await openServed();
  expect((await ip('add', '127.0.0.2', '--lock-me-out', '--yes')).code).toBe(0);
  expect(await statuses()).toEqual([403, 200]);
  expect((await ip('replace', '127.0.0.2', '--with', '127.0.0.1', '--yes')).code).toBe(0);
  expect(await statuses()).toEqual([200, 403]);
});
