/**
 * Examples for the OpenAPI document, from the sandbox: a request and a response of each endpoint, each of its refusals, and each event.
 * Equal on every run. Secrets are replaced, because a key in a document looks like one that leaked.
 */
import type * as z from 'zod/mini';
import { sandboxEvent, sandboxEvents, sandboxFaultAdd } from '../../src/contract/control.ts';
import { COMMON_ERRORS, type Endpoint } from '../../src/contract/endpoint.ts';
import { getFees } from '../../src/contract/endpoints/fees.ts';
import { endpoints } from '../../src/contract/endpoints/index.ts';
import { EVENTS } from '../../src/contract/events.ts';
import { elementOf, shapeOf, unwrap } from '../../src/contract/rows.ts';
import type { Examples } from '../../src/derive/openapi.ts';
import { recordAccount } from './account.ts';
import { recordMarket } from './market.ts';
import { recordPeople } from './people.ts';
import { type EndpointExamples, type Json, openRecorder, type Recorder } from './recorder.ts';

/** Records everything. Throws if an endpoint, a refusal or an event is left without an example. */
export async function recordExamples(): Promise<Examples> {
  const box = await openRecorder();
  const people = await recordPeople(box);
  await recordMarket(box, people);
  const events = await recordedEvents(box);
  await recordAccount(box, people);
  await box.close();
  return {
    operations: new Map(
      endpoints.map((endpoint) => [endpoint.id, completeExamples(endpoint, box.examples.get(endpoint.id))]),
    ),
    refusals: await commonRefusals(),
    events,
  };
}

function completeExamples(endpoint: Endpoint, found: EndpointExamples | undefined) {
  const { request, response, refusals } = found ?? {};
  const missing = endpoint.errors.filter((_, index) => !refusals?.has(index));
  if (!request || !response || !refusals || missing.length > 0)
    throw new Error(`scripts/examples has no example of ${endpoint.id} ${missing.map(({ when }) => when).join(', ')}`);
  const { data } = response;
  return {
    request: publishable(endpoint.request(), request) as Json,
    response: { ...response, data: publishable(endpoint.response(), data) },
    refusals: endpoint.errors.map((_, index) => refusals.get(index) as Json),
  };
}

/** How many items of a list an example shows. */
const ITEMS = 2;

/** Replaces the secrets in a value, but for a BVN, since those of the sandbox are nobody’s, and shortens its lists. */
function publishable(schema: z.ZodMiniType, value: unknown, name = ''): unknown {
  const { schema: inner, meta } = unwrap(schema);
  if (meta?.secret && name !== 'bvn' && typeof value === 'string') return value.startsWith('-----') ? value : 'EXAMPLE';
  const element = elementOf(inner);
  if (element && Array.isArray(value)) return value.slice(0, ITEMS).map((each) => publishable(element, each));
  const shape = shapeOf(inner);
  if (!shape || typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => {
      const field = Object.hasOwn(shape, key) ? shape[key] : undefined;
      return [key, field ? publishable(field, each, key) : each];
    }),
  );
}

/** The refusals that every endpoint has, of one that has no others. */
async function commonRefusals(): Promise<readonly Json[]> {
  const box = await openRecorder({ rateLimits: true });
  await box.refused(getFees, 'API key', {}, 'wrong');
  for (const [name, when] of [
    ['VALIDATION_ERROR', 'malformed'],
    ['IP_BLOCKED', 'allowlist'],
    ['INTERNAL_ERROR', 'service failed'],
  ] as const) {
    await box.ok(sandboxFaultAdd, { endpoint: getFees.id, kind: 'reject', name });
    await box.refused(getFees, when, {});
  }
  for (let count = 0; count < getFees.rateLimit.max; count += 1) await box.fetch(getFees, {});
  await box.refused(getFees, 'too many', {});
  const { refusals } = box.examples.get(getFees.id) ?? {};
  await box.close();
  return COMMON_ERRORS.map((_, index) => refusals?.get(getFees.errors.length + index) as Json);
}

/** The first event of each kind. */
async function recordedEvents(box: Recorder): Promise<ReadonlyMap<string, Json>> {
  const found = new Map<string, Json>();
  for (const { name } of EVENTS) {
    const { events, total } = await box.ok(sandboxEvents, { event: name, limit: 1000 }, { isExample: false });
    const first = events[total - 1];
    if (!first) throw new Error(`scripts/examples has no example of the event ${name}`);
    const { data } = await box.ok(sandboxEvent, { eventId: first.eventId }, { isExample: false });
    found.set(name, { event: name, data: JSON.parse(data) });
  }
  return found;
}
