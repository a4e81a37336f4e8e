import type { Endpoint } from '../../contract/endpoint.ts';
import { groups } from '../../contract/endpoints/index.ts';
import { readData } from '../../contract/reading/index.ts';
import { parseExactJson } from '../../money/decimal.ts';
import { isPlainObject, type PlainObject, toPlain } from '../../present/plain.ts';
import type { Call } from '../../service/context.ts';
import { loadOperations } from '../../service/operations.ts';
import type { Service } from '../../service/service.ts';
import { readRequest, valueAt } from '../../things/fields.ts';
import type { Thing } from '../../things/thing.ts';

type Group = keyof typeof groups;

const groupOf = (endpoint: Endpoint) =>
  Object.entries(groups).find(([, all]) =>
    Object.values(all).some((each) => (each as Endpoint).id === endpoint.id),
  )?.[0] as Group | undefined;

/** Whose work it is. */
export interface Owner {
  readonly id: bigint;
  readonly fintech_id: string;
  readonly name: string;
}

/** How one piece of work is asked for, and where the response has it. */
interface Asked {
  readonly endpoint: Endpoint;
  readonly request: Readonly<Record<string, unknown>>;
  readonly take: (data: unknown) => unknown;
}

/** Where the service says all of a piece of work: the response with its state, else the row of its list. */
function askedOf({ read, list }: Thing, id: string, atMs: number): Asked | undefined {
  if (read)
    return {
      endpoint: read.endpoint,
      request: readRequest(read, id),
      take: (data) => (read.in ? valueAt(data, read.in) : data),
    };
  if (!list) return undefined;
  const at = new Date(atMs).toISOString();
  const period = list.readBy === 'dated' ? { startDate: at, endDate: at } : {};
  return {
    endpoint: list.endpoint,
    request: { limit: 100, ...list.request, ...period },
    take: (data) =>
      ((valueAt(data, list.rows) ?? []) as readonly unknown[]).find((row) => valueAt(row, list.id) === id),
  };
}

/**
 * Returns what the service says of a piece of work to whose it is, in the contract's form; undefined if it says nothing. It is read past
 * the door of the sandbox: no fault is spent on it, and no rate limit counts it.
 */
export async function recordOf(
  service: Service,
  thing: Thing,
  owner: Owner,
  id: string,
  atMs: number,
): Promise<PlainObject | undefined> {
  const asked = askedOf(thing, id, atMs);
  const group = asked && groupOf(asked.endpoint);
  if (!asked || !group) return undefined;
  const operations = (await loadOperations[group]()) as unknown as Readonly<
    Record<string, (call: Call, input: unknown) => unknown>
  >;
  const operation = operations[asked.endpoint.id];
  const fintech = { id: owner.id, fintechId: owner.fintech_id, name: owner.name, publicKey: undefined };
  try {
    const wire = await service.submit('read', (context) =>
      operation?.({ ...context, fintech, caller: { apiKey: '', address: '127.0.0.1' } }, asked.request),
    );
    const { endpoint, take } = asked;
    const data = readData(endpoint, parseExactJson(JSON.stringify(wire)));
    const row = take(toPlain(data, endpoint.response(), endpoint.nests, asked.request));
    return isPlainObject(row) ? row : undefined;
  } catch {
    // What the service refuses to say, the page does not show.
    return undefined;
  }
}
