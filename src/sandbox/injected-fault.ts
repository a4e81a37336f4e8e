import { ExchangeError } from '../base/exchange-error.ts';
import type { Clock, HttpResponse } from '../base/world.ts';
import type { FaultKind } from '../contract/fault-kinds.ts';
import type { Context } from '../service/context.ts';
import { type FaultRule, faultRuleFor } from '../service/fault-rules.ts';

/** A fault to inject into one request and its response. */
export interface InjectedFault {
  /** True if the request is performed and committed before the fault. */
  readonly isDone: boolean;
  readonly delayMs?: number;
  /** Turns the correct response into the one that arrives. Throws ExchangeError if none does. */
  readonly alter: (answer: HttpResponse) => HttpResponse;
}

const SLOW_MS = 3_000;

const drop = (): never => {
  throw new ExchangeError('the connection was lost before the whole response arrived', true);
};

const json = (status: number, body: object): HttpResponse => ({
  status,
  headers: { 'content-type': 'application/json; charset=utf-8' },
  body: JSON.stringify(body),
});

const failed = () =>
  json(500, { status: 'Error', response_code: '05', message: 'Internal error', error: 'injected fault' });

const badGateway = (): HttpResponse => ({
  status: 502,
  headers: { 'content-type': 'text/html' },
  body: '<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>\n',
});

const tooManyRequests = () =>
  json(429, {
    status: 'Error',
    response_code: '04',
    message: 'Too many requests',
    error: 'injected fault',
    data: { error: 'too many requests', retry_after: 1 },
  });

/** Cuts the body in half but keeps the full content-length; the half never looks complete. */
function truncate(answer: HttpResponse): HttpResponse {
  const bytes = Buffer.from(answer.body);
  const half = bytes
    .subarray(0, Math.floor(bytes.length / 2))
    .toString('utf8')
    .replace(/\}+$/, '');
  return { ...answer, headers: { ...answer.headers, 'content-length': String(bytes.length) }, body: half };
}

/** Faults of a request and its response; the other kinds apply to payouts and event delivery. */
const FAULTS: Readonly<Partial<Record<FaultKind, InjectedFault>>> = {
  'lost-request': { isDone: false, alter: drop },
  'lost-response': { isDone: true, alter: drop },
  slow: { isDone: true, delayMs: SLOW_MS, alter: (answer) => answer },
  'http-500': { isDone: false, alter: failed },
  'http-500-after': { isDone: true, alter: failed },
  'http-502-html': { isDone: false, alter: badGateway },
  'rate-limit': { isDone: false, alter: tooManyRequests },
  'malformed-json': { isDone: true, alter: (answer) => ({ ...answer, body: `${answer.body.slice(0, -1)},` }) },
  truncated: { isDone: true, alter: truncate },
};

const KINDS = Object.keys(FAULTS) as FaultKind[];

/** Returns the rule that applies to an endpoint's next request, and its fault. */
export function injectedFaultFor(
  { store }: Pick<Context, 'store'>,
  endpoint: string,
): { rule: FaultRule; injected: InjectedFault } | undefined {
  const rule = faultRuleFor(store, endpoint, KINDS);
  const injected = rule && FAULTS[rule.kind];
  return injected && { rule, injected };
}

/** Returns the response as it arrives. Rejects with ExchangeError if the connection drops. */
export async function injectFault(
  { delayMs, alter }: InjectedFault,
  answer: HttpResponse,
  clock: Clock,
  closing: AbortSignal,
): Promise<HttpResponse> {
  // A closing sandbox responds at once.
  if (delayMs) await clock.sleep(delayMs, closing).catch(() => {});
  return alter(answer);
}
