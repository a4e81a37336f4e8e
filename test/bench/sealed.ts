import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import sodium from 'libsodium-wrappers';
import { newKeyPair, openerOf, seal } from '../../src/crypto/sealed-box.ts';
import { inTurn, timesInTurn } from './measure.ts';
import type { Row } from './report.ts';
import { ratios } from './statistics.ts';
import type { Load } from './throughput.ts';
import type { Workshop } from './workshop.ts';

const BODY_BYTES = 1024;

/** An answer of the service, padded to its size. */
function bodyText(): string {
  const body = (memo: string) =>
    JSON.stringify({ status: 'Success', response_code: '00', message: 'done', data: { memo } });
  return body('x'.repeat(BODY_BYTES - body('').length));
}

/** After so many the clock is looked at. */
const AT_ONCE = 200;

function perSecond(once: () => unknown, seconds: number): number {
  const start = process.hrtime.bigint();
  for (let count = AT_ONCE; ; count += AT_ONCE) {
    for (let at = 0; at < AT_ONCE; at++) once();
    const elapsed = Number(process.hrtime.bigint() - start) / 1e9;
    if (elapsed >= seconds) return count / elapsed;
  }
}

/** Sealed bodies opened a second, then what it costs a process to open one. */
export async function measureSealed(shop: Workshop, load: Load & { readonly runs: number }): Promise<Row[]> {
  return [await opening(load), await oneAnswer(shop, load.runs)];
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
    name: 'sealed bodies of 1 KB opened',
    unit: '/s',
    values: found.ours,
    against: 'crypto_box_seal_open',
    beside: found.bare,
    ratios: ratios(found.ours, found.bare),
    target: { is: 'at least', ratio: 0.6 },
    note: 'Ours: from base64 to text. The other: libsodium alone, from bytes to bytes. In one process, libsodium loaded.',
  };
}

/** Built as fiatrail is, libsodium in a file of its own, so that stripping types takes no part in the time. */
async function builtReader(): Promise<string> {
  const outdir = mkdtempSync(join(tmpdir(), 'fiatrail-bench-'));
  process.on('exit', () => rmSync(outdir, { recursive: true, force: true }));
  const entryPoints = [join(import.meta.dirname, 'sealed-answer.ts')];
  const outExtension = { '.js': '.mjs' };
  await build({ entryPoints, outdir, outExtension, bundle: true, splitting: true, format: 'esm', platform: 'node' });
  return join(outdir, 'sealed-answer.mjs');
}

async function oneAnswer(shop: Workshop, runs: number): Promise<Row> {
  const { publicKey, privateKey } = newKeyPair(randomBytes(32));
  const reader = await builtReader();
  const times = await timesInTurn(
    {
      open: shop.node([reader, 'open', await seal(bodyText(), publicKey), privateKey.reveal()]),
      load: shop.node([reader, 'load', bodyText()]),
    },
    runs,
  );
  return {
    name: 'a sealed answer opened, in a process of its own',
    unit: 'ms',
    values: times.open,
    against: 'a plain one and a bare load of libsodium',
    beside: times.load,
    ratios: ratios(times.open, times.load),
    target: { is: 'at most', ratio: 1.2 },
    note: 'The client’s reading of one answer, built alone: no whole command, which needs a profile with keys.',
  };
}
