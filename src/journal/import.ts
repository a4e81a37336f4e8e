import * as z from 'zod/mini';
import { type Asset, DECIMALS } from '../money/amount.ts';
import { parseBaseline } from './baseline.ts';
import { FIXED_COLUMNS, hashOf, LATER_COLUMNS, NO_HASH } from './chain.ts';
import { EXPORT_VERSION } from './export.ts';
import { computeSpent } from './spending.ts';
import { type Kind, mayFollow, NEXT, type OperationState, type Verdict } from './states.ts';
import type { Queries } from './store.ts';
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
    asset: z.optional(z.enum(Object.keys(DECIMALS) as [Asset, ...Asset[]])),
    minor: z.optional(z.string().check(z.regex(/^(0|[1-9]\d{0,17})$/))),
    baseline: z.optional(text.check(z.refine((json) => parseBaseline(json) !== undefined))),
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
    // Version 1 has no amounts, and version 2 no baselines.
    version: z.literal([1, 2, EXPORT_VERSION]),
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
export async function importLines(
  queries: Queries,
  lines: Iterable<string>,
  requireKnown: (names: readonly string[]) => void,
): Promise<Imported> {
  if (await queries.get('SELECT 1 AS found FROM operation LIMIT 1')) throw new ImportError('the journal is not empty');
  const schema = lineSchema();
  const heads = new Map<string, string>();
  const found = { operations: 0, transitions: 0 };
  let expected: z.infer<ReturnType<typeof header>> | undefined;
  let number = 0;
  await queries.run('DELETE FROM account_name');
  for (const text of lines) {
    number += 1;
    if (!expected) {
      expected = parsed(header(), text, number);
      continue;
    }
    const line = parsed(schema, text, number);
    if (line.type === 'account') await addAccount(queries, line);
    else if (line.type === 'operation') await addOperation(queries, line, number);
    else await addTransition(queries, heads, line, found.transitions + 1, number);
    if (line.type !== 'account') found[`${line.type}s`] += 1;
  }
  if (!expected) throw new ImportError('the file is empty');
  if (found.operations !== expected.operations || found.transitions !== expected.transitions)
    throw new ImportError('the file is not whole: lines are missing or were added');
  await requireWhole(queries);
  const names = await queries.all<{ name: string }>('SELECT name FROM account_name');
  requireKnown(names.map(({ name }) => name));
  await computeSpent(queries);
  if (expected.digestKey !== undefined)
    await queries.run(`UPDATE setting SET value = ? WHERE name = 'digest-key'`, expected.digestKey);
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

async function addAccount(
  queries: Queries,
  { name, account }: { readonly name: string; readonly account: string },
): Promise<void> {
  await queries.run('INSERT INTO account_name (name, account) VALUES (?, ?) ON CONFLICT DO NOTHING', name, account);
}

async function addOperation(queries: Queries, line: OperationLine, number: number): Promise<void> {
  if (await queries.get('SELECT 1 AS found FROM operation WHERE id = ?', line.id))
    throw new ImportError(`the operation ${line.id} appears twice`, number);
  if ((line.asset === undefined) !== (line.minor === undefined))
    throw new ImportError(`the operation ${line.id} has half an amount`, number);
  const columns = [...FIXED_COLUMNS, ...LATER_COLUMNS, 'process', 'state', 'updated_at', 'busy_until'];
  // Until its transitions are read, it is in a state that holds no once key.
  await queries.run(
    `INSERT INTO operation (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
    ...FIXED_COLUMNS.map((name) => line[name]),
    ...[line.asset ?? null, line.minor === undefined ? null : BigInt(line.minor), line.baseline ?? null],
    ...[line.process, 'refused', line.created_at, 0],
  );
}

async function addTransition(
  queries: Queries,
  heads: Map<string, string>,
  line: TransitionLine,
  sequence: number,
  number: number,
): Promise<void> {
  const { operation_id: operationId, host, state, at, request_id: requestId, verdict, detail, result, hash } = line;
  if (line.sequence !== sequence) throw new ImportError(`transition ${sequence} is missing`, number);
  const operation = await queries.get('SELECT * FROM operation WHERE id = ?', operationId);
  if (!operation) throw new ImportError(`there is no operation ${operationId}`, number);
  const link = { sequence: BigInt(sequence), operationId, host, state, at: BigInt(at) };
  const said = { requestId, verdict, detail, result, operation: state === 'prepared' ? fixedText(operation) : null };
  if (hashOf(heads.get(host) ?? NO_HASH, { ...link, ...said }) !== hash)
    throw new ImportError(`transition ${sequence} was changed, or is out of order`, number);
  await requireNext(queries, operation, state, number);
  heads.set(host, hash);
  await queries.run(
    `INSERT INTO transition (sequence, operation_id, host, state, at, request_id, verdict, detail, result, hash)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ...[sequence, operationId, host, state, at, requestId, verdict, detail, result, hash],
  );
  await queries.run(
    `UPDATE operation SET state = ?, request_id = coalesce(?, request_id), verdict = ?, detail = ?,
       result = coalesce(?, result), updated_at = ? WHERE id = ?`,
    ...[state, requestId, verdict, detail, result, at, operationId],
  );
}

/** An operation that a version without transitions recorded has only its first and its last state, and no digest. */
async function requireNext(
  queries: Queries,
  operation: Readonly<Record<string, unknown>>,
  state: OperationState,
  number: number,
): Promise<void> {
  const last = await queries.get<{ state: OperationState }>(
    'SELECT state FROM transition WHERE operation_id = ? ORDER BY sequence DESC LIMIT 1',
    String(operation['id']),
  );
  const before = last?.state;
  const isOld = before === 'prepared' && operation['input_digest'] === '';
  if (before === undefined ? state === 'prepared' : isOld || mayFollow(before, state)) return;
  throw new ImportError(`an operation cannot become ${state} ${before ? `after ${before}` : 'first'}`, number);
}

async function requireWhole(queries: Queries): Promise<void> {
  const sql =
    'SELECT id FROM operation WHERE NOT EXISTS (SELECT 1 FROM transition WHERE operation_id = operation.id) LIMIT 1';
  const bare = await queries.get<{ id: string }>(sql);
  if (bare) throw new ImportError(`the operation ${bare.id} has no transition`);
}
