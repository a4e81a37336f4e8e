import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import sodium from 'libsodium-wrappers';
import { newKeyPair, openerOf, seal } from '../../src/crypto/sealed-box.ts';
import { inTurn, timeMs, timesInTurn } from './measure.ts';
import type { Row } from './report.ts';
import { ratios } from './statistics.ts';
import type { Load } from './throughput.ts';
import type { Workshop } from './workshop.ts';

const BODY_BYTES = 1024;

/** Returns a service response, padded to its size. */
function bodyText(): string {
  const body = (memo: string) =>
    JSON.stringify({ status: 'Success', response_code: '00', message: 'done', data: { memo } });
  return body('x'.repeat(BODY_BYTES - body('').length));
}

/** The number of operations between clock checks. */
const AT_ONCE = 200;

function perSecond(once: () => unknown, seconds: number): number {
  const start = process.hrtime.bigint();
  for (let count = AT_ONCE; ; count += AT_ONCE) {
    for (let at = 0; at < AT_ONCE; at++) once();
    const elapsed = Number(process.hrtime.bigint() - start) / 1e9;
    if (elapsed >= seconds) return count / elapsed;
  }
}

/** Measures encrypted bodies opened per second, then the cost of opening one in a command. */
export async function measureEncrypted(shop: Workshop, load: Load & { readonly runs: number }): Promise<Row[]> {
  return [await opening(load), ...(await commands(shop, load.runs))];
}

async function opening({ rounds, seconds }: Load): Promise<Row> {
  await sodium.ready;
  const { publicKey, privateKey } = newKeyPair(randomBytes(32));
  const payload = await seal(bodyText(), publicKey);
  const open = await openerOf([privateKey]);
  const box = Buffer.from(payload, 'base64url');
  const pair = [sodium.from_hex(publicKey), sodium.from_hex(privateKey.reveal())] as const;
  if (!('text' in open(payload))) throw new Error('the payload does not open');
  const things = { ours: () => open(payload), bare: () => sodium.crypto_box_seal_open(box, ...pair) };
  const found = await inTurn(things, rounds, (once) => perSecond(once, seconds), 1);
  return {
    name: 'encrypted bodies of 1 KB opened',
    unit: '/s',
    values: found.ours,
    against: 'crypto_box_seal_open',
    beside: found.bare,
    ratios: ratios(found.ours, found.bare),
    target: { is: 'at least', ratio: 0.6 },
    note: 'Ours: from base64 to text. The other: libsodium alone, from bytes to bytes. In one process, with libsodium loaded.',
  };
}

/** Measures commands with a stored profile against the environment, and with encrypted responses against plain ones. */
async function commands(shop: Workshop, runs: number): Promise<Row[]> {
  const [plain, sealed] = [await account(shop, 'plain'), await account(shop, 'encrypted')];
  timeMs(shop.fiatrail('bench', ['keys', 'encryption', 'enable', '--yes', '--profile', 'encrypted']));
  const read = (...more: readonly string[]) => ['balances', 'account', '-o', 'json', ...more];
  const environment = { FIATRAIL_BASE_URL: plain.url, FIATRAIL_API_KEY: plain.apiKey };
  const times = await timesInTurn(
    {
      sealed: shop.fiatrail('bench', read('--profile', 'encrypted')),
      plain: shop.fiatrail('bench', read('--profile', 'plain')),
      environment: shop.fiatrail('bench', read(), environment),
      load: shop.node(['-e', `require(${JSON.stringify(SODIUM)}).ready`]),
      node: shop.node(['-e', '0']),
    },
    runs,
  );
  await Promise.all([shop.stop(plain), shop.stop(sealed)]);
  const withLoad = times.plain.map((ms, at) => ms + (times.load[at] ?? Number.NaN) - (times.node[at] ?? Number.NaN));
  return [
    {
      name: 'read of an encrypted response',
      unit: 'ms',
      values: times.sealed,
      against: 'the same, plain, plus a bare load of libsodium',
      beside: withLoad,
      ratios: ratios(times.sealed, withLoad),
      target: { is: 'at most', ratio: 1.2 },
      note: 'Complete commands over loopback. The bare load: node -e with libsodium, minus node -e 0.',
    },
    {
      name: 'read with a stored profile',
      unit: 'ms',
      values: times.plain,
      against: 'the same with the environment',
      beside: times.environment,
      ratios: ratios(times.plain, times.environment),
    },
  ];
}

const SODIUM = join(import.meta.dirname, '..', '..', 'dist', 'libsodium-wrappers.cjs');

/** A served sandbox and a profile for it. */
async function account(shop: Workshop, name: string) {
  const serve = ['sandbox', 'serve', '--port', '0', '--rate-limits', 'off', '-o', 'json'];
  const served = await shop.serve(shop.fiatrail(`account-${name}`, serve));
  const add = ['profiles', 'add', name, '--base-url', served.url, '--key-stdin'];
  timeMs(shop.fiatrail('bench', add), served.apiKey);
  return served;
}
