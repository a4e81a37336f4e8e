import { type IpRange, maskedRange, parseRange, rangeText } from '../../contract/cidr.ts';
import { Fault } from '../../contract/faults.ts';
import type { Database } from '../../sqlite/database.ts';
import type { Call, Operations, OperationsOf } from '../context.ts';
import { insert, update } from '../rows.ts';
import { ALLOWLIST_TTL_MS, isAllowed, matchingAddress } from './allowlist.ts';

interface AllowedRow {
  readonly id: bigint;
  readonly address: string;
  readonly description: string | null;
}

/** Returns the current list, oldest entry first. */
function currentAllowlist(store: Database, fintech: bigint): AllowedRow[] {
  return store.all<AllowedRow>(
    'SELECT id, address, description FROM allowed_address WHERE fintech = ? AND removed_at IS NULL ORDER BY id',
    fintech,
  );
}

type Request = Parameters<Operations['management.ip-allowlist']>[1];
type AllowlistResponse = ReturnType<Operations['management.ip-allowlist']>;

const TTL_SECONDS = ALLOWLIST_TTL_MS / 1000;
const PROPAGATION = `up to ${TTL_SECONDS} seconds`;

/** Masks an address; responses never contain one in full. Source: interface. */
function masked(address: string): string | null {
  const range = parseRange(address);
  return range ? maskedRange(range) : null;
}

/** Parses the address of a request. Throws VALIDATION_ERROR. */
function rangeOf({ ipAddress }: Request): IpRange {
  const range = ipAddress === undefined ? undefined : parseRange(ipAddress);
  if (!range)
    throw new Fault(
      'VALIDATION_ERROR',
      'ipAddress: expected an IPv4 or IPv6 address, or a range such as 203.0.113.0/24',
    );
  return range;
}

function list({ store, fintech }: Call): AllowlistResponse {
  const rows = currentAllowlist(store, fintech.id);
  return {
    action: 'list',
    ipAddresses: rows.map(({ address, description }, index) => ({ index, ip: masked(address), description })),
    totalIps: rows.length,
  };
}

/** Adding an existing address updates its description. Source: inferred. */
function add(call: Call, request: Request): AllowlistResponse {
  const { store, fintech, nowMs } = call;
  const range = rangeOf(request);
  const address = rangeText(range);
  const known = currentAllowlist(store, fintech.id).find((row) => row.address === address);
  if (known) {
    store.run(
      'UPDATE allowed_address SET description = COALESCE(?, description) WHERE id = ?',
      request.description ?? null,
      known.id,
    );
  } else {
    insert(store, 'allowed_address', {
      fintech: fintech.id,
      address,
      description: request.description,
      added_at: nowMs,
    });
  }
  return {
    action: 'add',
    ipAddress: maskedRange(range),
    totalIps: currentAllowlist(store, fintech.id).length,
    message: known ? 'the address was already on the allowlist' : 'the address was added',
    propagationTime: PROPAGATION,
  };
}

/** Returns the entry that a request names by address or by position. Throws VALIDATION_ERROR, NOT_FOUND. */
function entryOf(rows: readonly AllowedRow[], request: Request): AllowedRow {
  if ((request.ipAddress === undefined) === (request.index === undefined))
    throw new Fault('VALIDATION_ERROR', 'expected ipAddress or index, not both');
  const address = request.ipAddress === undefined ? undefined : rangeText(rangeOf(request));
  const entry = rows.find((row, index) => (address === undefined ? index === request.index : row.address === address));
  if (!entry) throw new Fault('NOT_FOUND', 'the allowlist has no such entry');
  return entry;
}

function remove({ store, fintech, nowMs }: Call, request: Request): AllowlistResponse {
  const rows = currentAllowlist(store, fintech.id);
  const entry = entryOf(rows, request);
  update(store, 'allowed_address', entry.id, { removed_at: nowMs });
  return {
    action: 'remove',
    removed: request.index === undefined ? masked(entry.address) : `index ${request.index}`,
    totalIps: rows.length - 1,
    message: 'the address was removed',
    propagationTime: PROPAGATION,
  };
}

/** Refreshes the servers' copy of the list and checks the caller against it. Source: public. */
function check({ store, fintech, caller, nowMs }: Call): AllowlistResponse {
  update(store, 'fintech', fintech.id, { allowlist_read_at: nowMs });
  const addresses = currentAllowlist(store, fintech.id).map(({ address }) => address);
  const rule = matchingAddress(addresses, caller.address);
  return {
    action: 'check',
    yourIp: masked(caller.address),
    isAllowed: isAllowed(addresses, caller.address),
    matchedRule: rule === undefined ? null : masked(rule),
    totalConfiguredIps: addresses.length,
    note:
      addresses.length === 0
        ? 'the allowlist is empty, so every address may call'
        : 'the allowlist was refreshed just now',
    cacheInfo: { ttlSeconds: TTL_SECONDS, propagationTime: PROPAGATION, cacheRefreshed: true },
  };
}

const ACTIONS: Readonly<Record<Request['action'], (call: Call, request: Request) => AllowlistResponse>> = {
  list,
  add,
  remove,
  check,
};

export const allowlistOperations = {
  'management.ip-allowlist': (call, request) => ACTIONS[request.action](call, request),
} satisfies OperationsOf<'allowlist'>;
