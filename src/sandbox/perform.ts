import { problemsOf, problemText } from '../contract/check.ts';
import { type Endpoint, placeOf } from '../contract/endpoint.ts';
import { Fault } from '../contract/faults.ts';
import { isWireNumber, parseJson } from '../money/decimal.ts';
import type { Call, Context } from '../service/context.ts';
import { useFaultRule } from '../service/fault-rules.ts';
import type { AnyOperation } from '../service/operation.ts';
import { operations } from '../service/operations/index.ts';
import type { Service, WorkKind } from '../service/service.ts';
import { createControls, createFileControls } from './control.ts';
import { admit, type Caller, type RateLimiter } from './guard.ts';
import { type InjectedFault, injectedFaultFor } from './injected-fault.ts';
import { type Route, readQuery } from './router.ts';
import { answerKey, type Received, staysPlain } from './sealed.ts';

/** A request that has found its endpoint. */
export interface Asked {
  readonly route: Route;
  readonly request: Received;
  readonly caller: Caller;
}

/** A request on its way: once its caller is let in, what its answer is sealed to is known, refusals included. */
interface Job extends Asked {
  sealTo: string | undefined;
}

/** What became of a request: its data or its refusal, and what goes wrong with the answer. */
export interface Outcome {
  readonly data?: unknown;
  readonly refusal?: Fault;
  readonly mishap?: InjectedFault;
  /** The public key that the answer is to be sealed to. */
  readonly sealTo?: string | undefined;
  /** Nothing was done: the transaction may not write, and that something goes wrong must be. */
  readonly mustWrite?: true;
}

interface Desk {
  readonly service: Service;
  readonly limiter: RateLimiter;
  readonly operations: Readonly<Record<string, AnyOperation>>;
  /** The controls that run when no transaction is open. */
  readonly fileControls: Readonly<Record<string, AnyOperation>>;
}

/** Does what requests ask of a service. */
export function createPerformer(service: Service, limiter: RateLimiter): (asked: Asked) => Promise<Outcome> {
  const desk: Desk = {
    service,
    limiter,
    operations: { ...operations, ...createControls(service) },
    fileControls: createFileControls(service),
  };
  return async (asked) => {
    const job: Job = { ...asked, sealTo: undefined };
    const outcome = await outcomeOf(desk, job);
    return { ...outcome, sealTo: outcome.refusal && staysPlain(outcome.refusal) ? undefined : job.sealTo };
  };
}

async function outcomeOf(desk: Desk, job: Job): Promise<Outcome> {
  try {
    return await (Object.hasOwn(desk.fileControls, job.route.endpoint.id) ? onFile : inUnit)(desk, job);
  } catch (error) {
    if (error instanceof Fault) return { refusal: error };
    throw error;
  }
}

/** Lets the caller in and does what is asked, in one transaction. */
async function inUnit(desk: Desk, job: Job): Promise<Outcome> {
  const { service, limiter } = desk;
  const submit = (kind: WorkKind) => {
    // A unit of its own in the same commit: a refused request is undone, and still counts.
    if (kind !== 'read' && limiter.unsaved() > 0) service.submit('write', limiter.save).catch(() => {});
    return service.submit(kind, (context) => perform(desk, context, kind, job));
  };
  const outcome = await submit(kindOf(job.route.endpoint, limiter.unsaved()));
  return outcome.mustWrite ? submit('write') : outcome;
}

/** Lets the caller in and checks the request inside a transaction, and does what is asked after it. */
async function onFile({ service, limiter, fileControls }: Desk, { route, request, caller }: Asked): Promise<Outcome> {
  const { call, input } = await service.submit('read', (context) => {
    const admitted = admit(context, caller, route.endpoint);
    limiter.count(admitted, route.endpoint);
    return { call: admitted, input: readInput(route, request) };
  });
  return { data: fileControls[route.endpoint.id]?.(call, input as never) };
}

/** After this many uncounted requests the counters are written in between. */
const UNSAVED_REQUESTS = 500;

function kindOf({ effect, area, isRecorded }: Endpoint, unsaved: number): WorkKind {
  if (effect === 'read' && !isRecorded) return unsaved < UNSAVED_REQUESTS ? 'read' : 'write';
  return area === 'control' ? 'alone' : 'write';
}

/** What is asked, and what is to go wrong with it on purpose. */
function perform(desk: Desk, context: Context, kind: WorkKind, job: Job): Outcome {
  const { endpoint } = job.route;
  const call = admit(context, job.caller, endpoint);
  job.sealTo = answerKey(call, endpoint);
  const found = endpoint.area === 'control' ? undefined : injectedFaultFor(call, endpoint.id);
  if (!found) return { data: handle(desk, call, job) };
  const { rule, mishap } = found;
  if (kind === 'read') return { mustWrite: true };
  useFaultRule(call.store, rule);
  if (!mishap.isDone) return { mishap };
  try {
    return { mishap, data: call.store.savepoint(() => handle(desk, call, job)) };
  } catch (error) {
    // The rule is used up, although the request changed nothing.
    if (error instanceof Fault) return { mishap, refusal: error };
    throw error;
  }
}

function handle(desk: Desk, call: Call, { route, request }: Asked): unknown {
  desk.limiter.count(call, route.endpoint);
  const input = readInput(route, request);
  const operation = desk.operations[route.endpoint.id];
  if (!operation) throw new Error(`no operation for ${route.endpoint.id}`);
  return operation(call, input as never);
}

/** The request's fields from path, query and body, checked. Throws VALIDATION_ERROR. */
function readInput({ endpoint, path, query }: Route, request: Received): unknown {
  const schema = endpoint.request();
  const fields = placeOf(endpoint) === 'query' ? readQuery(schema, query) : readBody(request);
  const input: Record<string, unknown> = { ...fields, ...path };
  for (const [name, meant] of Object.entries(endpoint.synonyms ?? {})) input[meant] ??= input[name];
  const problems = problemsOf(schema, input);
  if (problems.length > 0) throw new Fault('VALIDATION_ERROR', [...new Set(problems.map(problemText))].join('; '));
  return input;
}

function readBody(request: Received): Record<string, unknown> {
  if (request.unopened !== undefined)
    throw new Fault('VALIDATION_ERROR', `payload: the sealed body does not open: ${request.unopened}`);
  if (request.body === undefined || request.body === '') return {};
  try {
    const body = parseJson(request.body);
    const isObject = typeof body === 'object' && body !== null && !Array.isArray(body) && !isWireNumber(body);
    if (isObject && isWithin(body, MAX_DEPTH)) return body as Record<string, unknown>;
  } catch {
    // Said below, in the same words as for a body of another shape.
  }
  throw new Fault('VALIDATION_ERROR', 'the body: expected one JSON object');
}

/** What is nested deeper than any field could not be written down again. */
const MAX_DEPTH = 50;

function isWithin(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return depth > 0 && Object.values(value).every((each) => isWithin(each, depth - 1));
}
