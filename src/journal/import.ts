import * as z from 'zod/mini';
import { type Asset, DECIMALS } from '../money/amount.ts';
import { isJsonObject, parseExactJson } from '../money/decimal.ts';
import { excessIn } from '../money/json-text.ts';
import { insertion, type NewRow, rowOf } from '../store/table.ts';
import { hashOf, NO_HASH } from './chain.ts';
import { digestKeyFact, isDigestKey } from './digest-key.ts';
import { appendFacts, FACT, IS_LAST, jsonOf, linkOf, type Recording, subjects } from './entries.ts';
import { EXPORT_VERSION } from './export.ts';
import { parseBaseline } from './intent.ts';
import { ROTATION_STAGES, rotationOf, rowOfRotation } from './rotations.ts';
import { computeSpent } from './spending.ts';
import { TRIGGERS } from './sqlite/schema.ts';
import { mayFollow, NEXT, type OperationKind, type OperationState, type Verdict } from './states.ts';
import type { Queries } from './store.ts';
import { ENTRY, OPERATION, ROTATION } from './tables.ts';
import { repeatEntry } from './transitions.ts';
import { areKeysRight } from './verify.ts';

const [, ENTRY_DELETE = ''] = TRIGGERS;

/** Empties a journal that has no operations, so that an import can begin at the first entry. Only the owner of the tables may. */
async function withoutEntries(queries: Queries): Promise<void> {
  const isFile = queries.engine === 'sqlite';
  await queries.run(isFile ? 'DROP TRIGGER entry_delete' : 'ALTER TABLE entry DISABLE TRIGGER entry_stays');
  await queries.run('DELETE FROM entry');
  await queries.run(isFile ? ENTRY_DELETE : 'ALTER TABLE entry ENABLE TRIGGER entry_stays');
  await queries.run('DELETE FROM account_name');
}

/** Fills the tables that repeat the last fact about each subject. */
async function copyFoldedFacts(queries: Queries): Promise<void> {
  await queries.run(
    `INSERT INTO account_name (name, account) SELECT substr(subject, 9), value FROM entry e
     WHERE subject LIKE 'account %' AND value IS NOT NULL AND ${IS_LAST}`,
  );
  const rotations = await queries.all<{ id: string; value: string | null }>(
    `SELECT substr(subject, 10) AS id, value FROM entry e WHERE subject LIKE 'rotation %' AND ${IS_LAST}`,
  );
  for (const { id, value } of rotations) {
    const fact = rotationFactSchema().safeParse(value === null ? null : jsonOf(value, 'a rotation'));
    if (!fact.success || !(await queries.get('SELECT 1 AS found FROM operation WHERE id = ?', id)))
      throw new ImportError(`the entry about the rotation ${id} is no fact about an operation`);
    await queries.run(...insertion(ROTATION, [rowOfRotation(rotationOf(id, fact.data))]));
  }
}

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
  readonly entries: number;
}

const NO_BEGINNING = 'the entry where the journal begins is missing';

const KINDS = ['money', 'destructive', 'onboarding'] as const satisfies readonly OperationKind[];

const VERDICTS = ['completed', 'not-done', 'destroyed'] as const satisfies readonly Verdict[];

const STATES = Object.keys(NEXT) as [OperationState, ...OperationState[]];

/** The last millisecond whose year has four digits, as everything that shows times expects. */
const LAST_MS = Date.UTC(10_000, 0) - 1;

/** Whether a text is a JSON object that can be shown. */
function isJson(text: string): boolean {
  try {
    return excessIn(text) === undefined && isJsonObject(parseExactJson(text));
  } catch {
    return false;
  }
}

const rotationFactSchema = () =>
  z.tuple([z.string(), z.string(), z.enum(ROTATION_STAGES), z.string(), z.string(), z.array(z.string()), z.int()]);

function lineSchema() {
  const short = z.string().check(z.maxLength(2_000));
  const text = z.string().check(z.maxLength(4_000_000));
  const count = z.int().check(z.nonnegative());
  const time = count.check(z.maximum(LAST_MS));
  const json = text.check(z.refine(isJson));
  const operation = z.strictObject({
    type: z.literal('operation'),
    id: short,
    kind: z.enum(KINDS),
    account: short,
    profile: short,
    mode: short,
    base_url: short,
    endpoint: short,
    effect: short,
    command: text,
    summary: text,
    request: json,
    input_digest: short,
    once_key: z.nullish(short),
    tag: z.nullish(short),
    run_by: short,
    host: short,
    process: count,
    created_at: time,
    authority: z.optional(text),
    asset: z.optional(z.enum(Object.keys(DECIMALS) as [Asset, ...Asset[]])),
    minor: z.optional(z.string().check(z.regex(/^(0|[1-9]\d{0,17})$/))),
    baseline: z.optional(text.check(z.refine((json) => parseBaseline(json) !== undefined))),
  });
  const entry = z.strictObject({
    type: z.literal('entry'),
    sequence: count,
    operation_id: z.optional(short),
    subject: z.optional(text),
    host: short,
    state: z.enum([...STATES, FACT]),
    at: time,
    request_id: z.optional(text),
    verdict: z.optional(z.enum(VERDICTS)),
    detail: z.optional(text),
    result: z.optional(json),
    busy_until: z.optional(count),
    value: z.optional(text),
    hash: short,
  });
  return z.discriminatedUnion('type', [operation, entry]);
}

const header = () =>
  z.strictObject({
    type: z.literal('journal'),
    version: z.literal(EXPORT_VERSION),
    operations: z.int(),
    entries: z.int(),
    digestKey: z.optional(z.string().check(z.regex(/^[\w-]{43}$/))),
  });

type ExportedLine = z.infer<ReturnType<typeof lineSchema>>;

type OperationLine = Extract<ExportedLine, { type: 'operation' }>;

type EntryLine = Extract<ExportedLine, { type: 'entry' }>;

/** What is known of a file while it is read. */
interface ImportState {
  readonly recording: Recording;
  /** The hash of the last entry. */
  last: string;
  operations: number;
  entries: number;
}

/**
 * Fills an empty journal with exported lines. Checks each: its form, the chain of hashes, and that each state may follow the one
 * before it; what other rows repeat is computed from the entries. `requireKnown` gets the names of the accounts. One of the hashes must be
 * `head`, if it is given.
 * Call it in a transaction, which must be rolled back if this throws ImportError.
 */
export async function importLines(
  recording: Recording,
  lines: Iterable<string>,
  digestKey: string,
  requireKnown: (names: readonly string[]) => void,
  head?: string,
): Promise<Imported> {
  const { queries } = recording;
  if (await queries.get('SELECT 1 AS found FROM operation LIMIT 1')) throw new ImportError('the journal is not empty');
  await withoutEntries(queries);
  const schema = lineSchema();
  let expected: z.infer<ReturnType<typeof header>> | undefined;
  let reading: ImportState | undefined;
  let number = 0;
  let hasHead = head === undefined;
  for (const text of lines) {
    number += 1;
    if (!reading) {
      expected = parsed(header(), text, number);
      reading = { recording, last: NO_HASH, operations: 0, entries: 0 };
      continue;
    }
    const line = parsed(schema, text, number);
    if (line.type === 'operation') await addOperation(reading, line, number);
    else await addEntry(reading, line, number);
    if (line.type === 'entry') hasHead ||= line.hash === head;
  }
  if (!expected || !reading) throw new ImportError('the file is empty');
  const { operations, entries } = reading;
  if (operations !== expected.operations || entries !== expected.entries)
    throw new ImportError('the file is not whole: lines are missing or were added');
  if (entries === 0) throw new ImportError(NO_BEGINNING);
  if (!hasHead)
    throw new ImportError(
      `no entry has the hash ${head?.slice(0, 60)}: entries were removed, or the file is of another journal`,
    );
  await requireWhole(queries);
  const key = expected.digestKey ?? digestKey;
  if (expected.digestKey !== undefined)
    await queries.run(`UPDATE setting SET value = ? WHERE name = 'digest-key'`, expected.digestKey);
  await endReading(recording, key, expected.digestKey !== undefined);
  await requireAccounts(queries);
  const names = await queries.all<{ name: string }>('SELECT name FROM account_name');
  requireKnown(names.map(({ name }) => name));
  await computeSpent(queries);
  return { operations, entries };
}

/** Fills the tables that repeat what the entries say. */
async function endReading(recording: Recording, key: string, hasKey: boolean): Promise<void> {
  const { queries } = recording;
  // What was written before the import is gone.
  Object.assign(recording, { end: undefined });
  await copyFoldedFacts(queries);
  if (!(await areKeysRight(queries)))
    throw new ImportError('the idempotency keys of its operations are not what its entries say');
  if (await isDigestKey(queries, key)) return;
  if (hasKey) throw new ImportError('its digest key is not the one that its entries know');
  await appendFacts(recording, [digestKeyFact(key)]);
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

async function addOperation(reading: ImportState, line: OperationLine, number: number): Promise<void> {
  const { queries } = reading.recording;
  if (await queries.get('SELECT 1 AS found FROM operation WHERE id = ?', line.id))
    throw new ImportError(`the operation ${line.id} appears twice`, number);
  if ((line.asset === undefined) !== (line.minor === undefined))
    throw new ImportError(`the operation ${line.id} has half an amount`, number);
  const row: NewRow<typeof OPERATION> = {
    ...line,
    minor: line.minor === undefined ? null : BigInt(line.minor),
    // Until its entries are read, it is in a state that holds no idempotency key.
    state: 'rejected',
    updated_at: line.created_at,
    busy_until: 0,
  };
  await queries.run(...insertion(OPERATION, [row]));
  reading.operations += 1;
}

async function addEntry(reading: ImportState, line: EntryLine, number: number): Promise<void> {
  const { queries } = reading.recording;
  const sequence = reading.entries + 1;
  if (line.sequence !== sequence) throw new ImportError(`entry ${sequence} is missing`, number);
  const entry = rowOf(ENTRY, line);
  if (sequence === 1 && entry.subject !== subjects.digestKey) throw new ImportError(NO_BEGINNING, number);
  const id = entry.operation_id;
  const isFact = entry.state === FACT;
  if ((id === null) !== isFact || (entry.subject !== null) !== isFact)
    throw new ImportError(`entry ${sequence} is neither of an operation nor a fact`, number);
  const row = id === null ? undefined : await queries.get('SELECT * FROM operation WHERE id = ?', id);
  if (id !== null && !row) throw new ImportError(`there is no operation ${id}`, number);
  if (hashOf(reading.last, linkOf(entry, row)) !== entry.hash)
    throw new ImportError(`entry ${sequence} was changed, or is out of order`, number);
  if (row) await requireNext(queries, row, entry.state as OperationState, number);
  reading.last = entry.hash;
  reading.entries = sequence;
  await queries.run(...insertion(ENTRY, [entry]));
  if (id !== null) await repeatEntry(queries, entry);
}

async function requireNext(
  queries: Queries,
  operation: Readonly<Record<string, unknown>>,
  state: OperationState,
  number: number,
): Promise<void> {
  const last = await queries.get<{ state: OperationState }>(
    'SELECT state FROM entry WHERE operation_id = ? ORDER BY sequence DESC LIMIT 1',
    String(operation['id']),
  );
  const before = last?.state;
  if (before === undefined ? state === 'prepared' : mayFollow(before, state)) return;
  throw new ImportError(`an operation cannot become ${state} ${before ? `after ${before}` : 'first'}`, number);
}

async function requireWhole(queries: Queries): Promise<void> {
  const sql =
    'SELECT id FROM operation WHERE NOT EXISTS (SELECT 1 FROM entry WHERE operation_id = operation.id) LIMIT 1';
  const bare = await queries.get<{ id: string }>(sql);
  if (bare) throw new ImportError(`the operation ${bare.id} has no entry`);
}

/** Without its account, an operation would hold no idempotency key. A sandbox that was reset has no account left. */
async function requireAccounts(queries: Queries): Promise<void> {
  const strange = await queries.get<{ id: string }>(
    `SELECT id FROM operation WHERE mode = 'live' AND NOT EXISTS
       (SELECT 1 FROM account_name WHERE account = operation.account OR name = 'account:' || operation.account) LIMIT 1`,
  );
  if (strange) throw new ImportError(`the account of the operation ${strange.id} is missing`);
}
