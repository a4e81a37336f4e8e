import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { outputOf, timeMs } from './measure.ts';
import type { Figure, Row } from './report.ts';
import { ratios } from './statistics.ts';
import type { Served, Workshop } from './workshop.ts';

const LATENCY_MS = 100;

/** What a command sends at most with --yes: also the read of what pays, which its confirmation names. */
const COMMANDS = {
  'a read': { requests: 1, words: ['balances', 'account'] },
  'a payment': {
    requests: 3,
    words: [
      'fees',
      'withdraw',
      '--amount',
      '500',
      '--bank-code',
      '000013',
      '--account-number',
      '0123456789',
      '--account-name',
      'ADA OBI',
    ],
  },
  'onramp create': { requests: 3, words: ['onramp', 'create', 'USER', '--amount', '5000'] },
} as const;

interface Counts {
  readonly requests: number;
  readonly connections: number;
}

/** Creates a certificate for `localhost` with openssl, and returns the paths of its key and of itself. */
function certificateIn(folder: string): readonly [key: string, cert: string] {
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const made = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  const name = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  execFileSync('openssl', [...made, ...name, '-keyout', key, '-out', cert], { stdio: 'pipe' });
  return [key, cert];
}

/** Counts the requests and connections of commands over HTTPS, at a distance where each round trip can be felt. */
export async function measureRoundTrips(shop: Workshop, runs: number): Promise<Row[]> {
  const state = 'round-trips';
  timeMs(shop.fiatrail(state, ['sandbox', 'seed', '--users', '1', '--pace', 'instant', '--rate-limits', 'off']));
  const sandbox = await shop.serve(shop.fiatrail(state, ['sandbox', 'serve', '--port', '0', '-o', 'json']));
  const [key, cert] = certificateIn(shop.folder);
  const file = join(import.meta.dirname, 'slow-tls.ts');
  const slow = await shop.serve(shop.node([file, sandbox.url, String(LATENCY_MS), key, cert]));
  const { counts } = slow as Served & { readonly counts: string };
  const account = {
    FIATRAIL_BASE_URL: slow.url,
    FIATRAIL_API_KEY: sandbox.apiKey,
    NODE_EXTRA_CA_CERTS: cert,
  };
  const own = (words: readonly string[]) =>
    shop.fiatrail('round-trips-account', [...words, '-q', '-o', 'json'], account);
  const user = JSON.parse(outputOf(own(['users', 'list', '--query', 'users[0].userId']))) as string;
  const rows: Row[] = [];
  for (const [name, { requests, words }] of Object.entries(COMMANDS)) {
    // An onramp may always be repeated.
    const again = name === 'a payment' ? ['--again'] : [];
    const command = own([...words.map((word) => (word === 'USER' ? user : word)), '--yes', ...again]);
    const counted: Counts[] = [];
    const times: number[] = [];
    for (let run = -1; run < runs; run++) {
      const ms = timeMs(command);
      const count = (await (await fetch(counts)).json()) as Counts;
      if (run < 0) continue;
      times.push(ms);
      counted.push(count);
    }
    const row = (
      what: string,
      unit: Figure['unit'],
      values: readonly number[],
      against: string,
      limit: number,
    ): Figure => ({
      name: `${what} over HTTPS with ${LATENCY_MS} ms of latency: ${name}`,
      unit,
      values,
      against,
      beside: values.map(() => limit),
      ratios: ratios(
        values,
        values.map(() => limit),
      ),
    });
    const target = { is: 'at most', ratio: 1 } as const;
    rows.push(
      {
        ...row(
          'requests',
          '',
          counted.map((each) => each.requests),
          'limit',
          requests,
        ),
        target,
      },
      {
        ...row(
          'connections',
          '',
          counted.map((each) => each.connections),
          'limit',
          1,
        ),
        target,
      },
      // The handshake takes one more round trip.
      row('time', 'ms', times, `${requests + 1} round trips`, (requests + 1) * LATENCY_MS),
    );
  }
  await Promise.all([slow, sandbox].map((each) => shop.stop(each)));
  return rows;
}
