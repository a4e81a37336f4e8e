import autocannon, { type Request } from 'autocannon';
import { inTurn, residentMb } from './measure.ts';
import type { Figure, Row, Target } from './report.ts';
import { ratios } from './statistics.ts';
import type { Served } from './workshop.ts';

const CONNECTIONS = 10;

export interface Load {
  readonly rounds: number;
  readonly seconds: number;
  /** Onboardings before the server's memory is read. */
  readonly onboardings: number;
}

/** The sandbox and its baseline, both listening. */
export interface Servers {
  readonly sandbox: Served;
  readonly hello: Served;
}

export interface Shot {
  readonly url: string;
  readonly request: Request;
}

export interface Hits {
  /** Successful responses per second. */
  readonly perSecond: number;
  readonly answered: number;
  readonly refused: number;
}

async function shoot({ url, request }: Shot, how: { duration: number } | { amount: number }): Promise<Hits> {
  const result = await autocannon({ url, connections: CONNECTIONS, requests: [request], ...how });
  return {
    perSecond: result['2xx'] / result.duration,
    answered: result['2xx'],
    refused: result.non2xx + result.errors + result.timeouts,
  };
}

/** Runs several requests in turn for some seconds each, after an uncounted round. */
export const shootInTurn = <Name extends string>(shots: Readonly<Record<Name, Shot>>, { rounds, seconds }: Load) =>
  inTurn(shots, rounds, (shot) => shoot(shot, { duration: seconds }), 1);

function shotsAt({ sandbox, hello }: Servers) {
  const { origin } = new URL(sandbox.url);
  const headers = { 'x-api-key': sandbox.apiKey, 'content-type': 'application/json' };
  const list = { method: 'POST', path: '/v1/listfintechusers', headers, body: '{"limit":20}' };
  return {
    hello: { url: hello.url, request: { method: 'GET', path: '/' } },
    wallet: { url: origin, request: { method: 'GET', path: '/v1/getfintechwallet', headers } },
    list: { url: origin, request: list },
    onboard: { url: origin, request: { method: 'POST', path: '/v1/onboarduser', headers, ...freshBvn() } },
  };
}

function freshBvn(): Request {
  let next = 20_000_000_000;
  return {
    setupRequest: (request) => {
      next += 1;
      return { ...request, body: `{"bvn":"${next}"}` };
    },
  };
}

const sum = (values: readonly number[]) => values.reduce((so, value) => so + value, 0);

function rate(
  name: string,
  hits: readonly Hits[],
  hello: readonly Hits[],
  target: Target | undefined,
  note: string,
): Figure {
  const values = hits.map(({ perSecond }) => perSecond);
  const beside = hello.map(({ perSecond }) => perSecond);
  const refused = sum(hits.map((each) => each.refused));
  return {
    name,
    unit: '/s',
    values,
    against: 'Hono hello',
    beside,
    ratios: ratios(values, beside),
    ...(target ? { target } : {}),
    note: `${note} Without status 200: ${refused} of ${sum(hits.map(({ answered }) => answered)) + refused}.`,
  };
}

/** Measures reads and onboardings per second, then the memory after many onboardings. */
export async function measureThroughput(servers: Servers, load: Load): Promise<Row[]> {
  const { onboard, ...reads } = shotsAt(servers);
  const read = await shootInTurn(reads, load);
  const written = await shootInTurn({ hello: reads.hello, onboard }, load);
  const how = `${CONNECTIONS} connections, ${load.rounds} rounds of ${load.seconds} s.`;
  const readTarget = { is: 'at least', ratio: 0.3 } as const;
  return [
    rate('GET /v1/getfintechwallet', read.wallet, read.hello, readTarget, how),
    rate(
      'POST /v1/listfintechusers, 20 of 250 users',
      read.list,
      read.hello,
      undefined,
      `${how} A page of 20 users, 12 KB of JSON, against a server that says hello: for information, without a target.`,
    ),
    rate(
      'POST /v1/onboarduser',
      written.onboard,
      written.hello,
      { is: 'at least', ratio: 0.08, beyond: 0.15 },
      `${how} Pace quick, so it includes verifying each user (user, wallets, account, events).`,
    ),
    await memoryAfter(servers.sandbox, onboard, load.onboardings),
  ];
}

const MEMORY_LIMIT_MB = 200;

/** Onboards more users, waits until all are verified, and reads the server's memory. */
async function memoryAfter(sandbox: Served, onboard: Shot, more: number): Promise<Row> {
  await shoot(onboard, { amount: more });
  const users = await settledUsers(sandbox);
  const name = `resident memory of sandbox serve, ${users.toLocaleString('en')} users onboarded`;
  const [now, peak] = [residentMb(sandbox.pid, 'VmRSS'), residentMb(sandbox.pid, 'VmHWM')];
  if (now === undefined || peak === undefined) return { name, why: 'no /proc here' };
  return {
    name,
    unit: 'MB',
    values: [now],
    against: 'limit',
    beside: [MEMORY_LIMIT_MB],
    ratios: [now / MEMORY_LIMIT_MB],
    target: { is: 'at most', ratio: 1 },
    note: `The server's peak was ${peak.toFixed(0)} MB. The reads above ran in the same process first.`,
  };
}

async function settledUsers({ url, apiKey }: Served): Promise<number> {
  for (;;) {
    const answer = await fetch(new URL('/_sandbox/status', url), { headers: { 'x-api-key': apiKey } });
    const { data } = (await answer.json()) as { data: { pending: number; users: number } };
    if (data.pending === 0) return data.users;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}
