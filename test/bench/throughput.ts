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

/** The sandbox and its baselines, all listening. */
export interface Servers {
  readonly sandbox: Served;
  /** Prints the same page of users as the sandbox. */
  readonly users: Served;
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

export async function shoot({ url, request }: Shot, how: { duration: number } | { amount: number }): Promise<Hits> {
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

function shotsAt({ sandbox, users }: Servers) {
  const { origin } = new URL(sandbox.url);
  const headers = headersFor(sandbox);
  const list: Request = { method: 'POST', path: '/v1/listfintechusers', headers, body: '{"limit":20}' };
  return {
    list: { url: origin, request: list },
    bareList: { url: users.url, request: { ...list, path: '/' } },
    onboard: onboardingAt(sandbox),
  };
}

const headersFor = ({ apiKey }: Served) => ({ 'x-api-key': apiKey, 'content-type': 'application/json' });

/** Onboards another user with each request. */
export function onboardingAt(sandbox: Served): Shot {
  const request = { method: 'POST', path: '/v1/onboarduser', headers: headersFor(sandbox), ...freshBvn() };
  return { url: new URL(sandbox.url).origin, request };
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
  [against, baseline]: readonly [name: string, hits: readonly Hits[]],
  target: Target,
  note: string,
): Figure {
  const values = hits.map(({ perSecond }) => perSecond);
  const beside = baseline.map(({ perSecond }) => perSecond);
  const refused = sum(hits.map((each) => each.refused));
  return {
    name,
    unit: '/s',
    values,
    against,
    beside,
    ratios: ratios(values, beside),
    target,
    note: `${note} Without status 200: ${refused} of ${sum(hits.map(({ answered }) => answered)) + refused}.`,
  };
}

/** Measures pages of a list per second, then the memory after many onboardings. */
export async function measureThroughput(servers: Servers, load: Load): Promise<Row[]> {
  const { onboard, list, bareList } = shotsAt(servers);
  await requireSameAnswer(list, bareList);
  const listed = await shootInTurn({ bareList, list }, load);
  const how = `${CONNECTIONS} connections, ${load.rounds} rounds of ${load.seconds} s.`;
  return [
    rate(
      'POST /v1/listfintechusers, 20 of 250 users',
      listed.list,
      ['bare Hono server', listed.bareList],
      { is: 'at least', ratio: 0.5 },
      `${how} The bare server reads the same rows with node:sqlite and prints the same 12 KB of JSON.`,
    ),
    await memoryAfter(servers.sandbox, onboard, load.onboardings),
  ];
}

/** Throws unless both servers answer alike: otherwise the comparison means nothing. */
async function requireSameAnswer(one: Shot, other: Shot): Promise<void> {
  const [here, there] = await Promise.all(
    [one, other].map(async ({ url, request: { method, path, headers, body } }) =>
      (await fetch(url + path, { method, headers, body } as RequestInit)).text(),
    ),
  );
  if (here !== there) throw new Error(`the bare server prints something else:\n${here}\n${there}`);
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

/** Waits until the sandbox has done all its work, and returns the number of its users. */
export async function settledUsers({ url, apiKey }: Served): Promise<number> {
  for (;;) {
    const answer = await fetch(new URL('/_sandbox/status', url), { headers: { 'x-api-key': apiKey } });
    const { data } = (await answer.json()) as { data: { pending: number; users: number } };
    if (data.pending === 0) return data.users;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}
