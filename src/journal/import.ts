import * as z from 'zod/mini';
import type { Database } from '../sqlite/database.ts';
import { FIXED_COLUMNS, hashOf, NO_HASH } from './chain.ts';
import { EXPORT_VERSION } from './export.ts';
import { type Kind, mayFollow, NEXT, type OperationState, type Verdict } from './states.ts';
import { fixedText } from './transitions.ts';

/** Why a file cannot be imported: what is wrong, and in which line. */
export class ImportError extends Error {
  override name = 'ImportError';
  readonly line: number | undefined;

  constructor(what: string, line?: number) {
    super(what);
    this.line = line;
  }
}

/** What was imported. */
export interface Imported {
  readonly operations: number;
  readonly transitions: number;
}

const KINDS = ['money', 'destructive', 'onboarding'] as const satisfies readonly Kind[];
const VERDICTS = ['completed', 'not-done', 'destroyed'] as const satisfies readonly Verdict[];
const STATES = Object.keys(NEXT) as [OperationState, ...OperationState[]];

function lineSchema() {
  const short = z.string().check(z.maxLength(2_000));
  const text = z.string().check(z.maxLength(4_000_000));
  const count = z.int().check(z.nonnegative());
  const account = z.strictObject({ type: z.literal('account'), name: short, account: short });
  const operation = z.strictObject({
    ...{ type: z.literal('operation'), id: short, kind: z.enum(KINDS), account: short, profile: short, mode: short },
    ...{ base_url: short, endpoint: short, effect: short, command: text, summary: text, request: text },
    ...{ input_digest: short, once_key: z.nullable(short), tag: z.nullable(short), operator: short, host: short },
    ...{ process: count, created_at: count },
  });
  const transition = z.strictObject({
    ...{ type: z.literal('transition'), sequence: count, operation_id: short, host: short, state: z.enum(STATES) },
    ...{ at: count, request_id: z.nullable(text), verdict: z.nullable(z.enum(VERDICTS)), detail: z.nullable(text) },
    ...{ result: z.nullable(text), hash: short },
  });
  return z.discriminatedUnion('type', [account, operation, transition]);
}

const header = () =>
  z.strictObject({
    type: z.literal('journal'),
    version: z.literal(EXPORT_VERSION),
    operations: z.int(),
    transitions: z.int(),
    digestKey: z.optional(z.string().check(z.regex(/^[\w-]{43}$/))),
  });

type Line = z.infer<ReturnType<typeof lineSchema>>;
type OperationLine = Extract<Line, { type: 'operation' }>;
type TransitionLine = Extract<Line, { type: 'transition' }>;

/**
 * Fills an empty journal with exported lines. Checks each: its form, the chain of hashes, and that each state may follow the one
 * before it; what an operation's row repeats is computed from its transitions. `requireKnown` gets the names of the accounts.
 * Call it in a transaction, which must be rolled back if this throws ImportError.
 */
export function importLines(
  store: Database,
  lines: Iterable<string>,
  requireKnown: (names: readonly string[]) => void,
): Imported {
  if (store.get('SELECT 1 FROM operation LIMIT 1')) throw new ImportError('the journal of this machine is not empty');
  const schema = lineSchema();
  const heads = new Map<string, string>();
  const found = { operations: 0, transitions: 0 };
  let expected: z.infer<ReturnType<typeof header>> | undefined;
  let number = 0;
  store.run('DELETE FROM account_name');
  for (const text of lines) {
    number += 1;
    if (!expected) {
      expected = parsed(header(), text, number);
      continue;
    }
    const line = parsed(schema, text, number);
    if (line.type === 'account') addAccount(store, line);
    else if (line.type === 'operation') addOperation(store, line, number);
    else addTransition(store, heads, line, found.transitions + 1, number);
    if (line.type !== 'account') found[`${line.type}s`] += 1;
  }
  if (!expected) throw new ImportError('the file is empty');
  if (found.operations !== expected.operations || found.transitions !== expected.transitions)
    throw new ImportError('the file is not whole: lines are missing or were added');
  requireWhole(store);
  requireKnown(store.all<{ name: string }>('SELECT name FROM account_name').map(({ name }) => name));
  if (expected.digestKey !== undefined)
    store.run(`UPDATE setting SET value = ? WHERE name = 'digest-key'`, expected.digestKey);
  return found;
}

function parsed<T>(schema: z.ZodMiniType<T>, text: string, number: number): T {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new ImportError('it is not valid JSON', number);
  }
  const result = schema.safeParse(json);
  if (result.success) return result.data;
  const path = result.error.issues[0]?.path.map(String).join('.');
  throw new ImportError(`it is not a line of an export${path ? ` (${path})` : ''}`, number);
}

function addAccount(store: Database, { name, account }: { readonly name: string; readonly account: string }): void {
  store.run('INSERT INTO account_name (name, account) VALUES (?, ?) ON CONFLICT DO NOTHING', name, account);
}

function addOperation(store: Database, line: OperationLine, number: number): void {
  if (store.get('SELECT 1 FROM operation WHERE id = ?', line.id))
    throw new ImportError(`the operation ${line.id} appears twice`, number);
  const columns = [...FIXED_COLUMNS, 'process', 'state', 'updated_at', 'busy_until'];
  // Until its transitions are read, it is in a state that holds no once key.
  store.run(
    `INSERT INTO operation (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
    ...FIXED_COLUMNS.map((name) => line[name]),
    ...[line.process, 'refused', line.created_at, 0],
  );
}

function addTransition(
  store: Database,
  heads: Map<string, string>,
  line: TransitionLine,
  sequence: number,
  number: number,
): void {
  const { operation_id: operationId, host, state, at, request_id: requestId, verdict, detail, result, hash } = line;
  if (line.sequence !== sequence) throw new ImportError(`transition ${sequence} is missing`, number);
  const operation = store.get('SELECT * FROM operation WHERE id = ?', operationId);
  if (!operation) throw new ImportError(`there is no operation ${operationId}`, number);
  const link = { sequence: BigInt(sequence), operationId, host, state, at: BigInt(at) };
  const said = { requestId, verdict, detail, result, operation: state === 'prepared' ? fixedText(operation) : null };
  if (hashOf(heads.get(host) ?? NO_HASH, { ...link, ...said }) !== hash)
    throw new ImportError(`transition ${sequence} was changed, or is out of order`, number);
  requireNext(store, operation, state, number);
  heads.set(host, hash);
  store.run(
    `INSERT INTO transition (sequence, operation_id, host, state, at, request_id, verdict, detail, result, hash)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ...[sequence, operationId, host, state, at, requestId, verdict, detail, result, hash],
  );
  store.run(
    `UPDATE operation SET state = ?, request_id = coalesce(?, request_id), verdict = ?, detail = ?,
       result = coalesce(?, result), updated_at = ? WHERE id = ?`,
    ...[state, requestId, verdict, detail, result, at, operationId],
  );
}

/** An operation that a version without transitions recorded has only its first and its last state, and no digest. */
function requireNext(
  store: Database,
  operation: Readonly<Record<string, unknown>>,
  state: OperationState,
  number: number,
): void {
  const before = store.get<{ state: OperationState }>(
    'SELECT state FROM transition WHERE operation_id = ? ORDER BY sequence DESC LIMIT 1',
    String(operation['id']),
  )?.state;
  const isOld = before === 'prepared' && operation['input_digest'] === '';
  if (before === undefined ? state === 'prepared' : isOld || mayFollow(before, state)) return;
  throw new ImportError(`an operation cannot become ${state} ${before ? `after ${before}` : 'first'}`, number);
}

function requireWhole(store: Database): void {
  const sql =
    'SELECT id FROM operation WHERE NOT EXISTS (SELECT 1 FROM transition WHERE operation_id = operation.id) LIMIT 1';
  const bare = store.get<{ id: string }>(sql);
  if (bare) throw new ImportError(`the operation ${bare.id} has no transition`);
}
