import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Intent } from '../../src/journal/intent.ts';
import type { Journal } from '../../src/journal/interface.ts';
import type { OperationState, Verdict } from '../../src/journal/states.ts';
import { ROOT, temporaryFolder } from '../support/built.ts';
import { INTENT, oneProcess, prepared, testJournal } from '../support/journal-intent.ts';
import { countingIds, fakeClock } from '../support/sandbox.ts';

type Line = Readonly<Record<string, string | number | null>>;

/** A journal as it was exported once. It never changes: hashes that are out in the world must verify forever. */
const LINES = readFileSync(join(ROOT, 'test', 'journal', 'kept-entries.ndjson'), 'utf8')
  .trimEnd()
  .split('\n');
const PARSED = LINES.map((line) => JSON.parse(line) as Line);
const linesOf = (type: string) => PARSED.filter((line) => line['type'] === type);

/** What each operation goes through: every state after every one that it may follow. */
const STEPS: readonly (readonly [Partial<Intent>, ...(OperationState | Verdict)[]])[] = [
  [{}],
  [{ idempotencyKey: 'refused-early' }, 'rejected'],
  [{ moves: { asset: 'NGN', minor: 50_000n } }, 'sent', 'rejected'],
  [{ moves: { asset: 'USDC', minor: 123_456_789_012_345_678n }, tag: '[fr-0001]' }, 'sent', 'accepted', 'settled'],
  [{ moves: { asset: 'CNGN', minor: 1n }, idempotencyKey: 'fees-2026-11' }, 'sent', 'accepted', 'settled', 'failed'],
  [{ idempotencyKey: 'naïve “key” \u2028 🔑' }, 'sent', 'accepted', 'failed'],
  [{ baseline: { serviceAtMs: 1_767_603_600_123 } }, 'sent', 'unknown', 'unknown', 'accepted', 'completed'],
  [{ moves: { asset: 'NGN', minor: 7n }, baseline: { serviceAtMs: 5 } }, 'sent', 'unknown', 'settled'],
  [{ kind: 'destructive' }, 'sent', 'unknown', 'failed'],
  [{ kind: 'onboarding' }, 'sent', 'unknown', 'rejected'],
  [{}, 'sent', 'settled'],
  [{}, 'sent', 'failed'],
  [{ moves: { asset: 'NGN', minor: 9n } }, 'sent', 'unknown', 'not-done'],
  [{}, 'sent', 'destroyed'],
];

const VERDICTS: readonly string[] = ['completed', 'not-done', 'destroyed'] satisfies readonly Verdict[];

async function move(journal: Journal, id: string, step: OperationState | Verdict): Promise<void> {
  if (VERDICTS.includes(step))
    await journal.append(id, 'resolved', { verdict: step as Verdict, detail: `a "${step}"` });
  else
    await journal.append(id, step as OperationState, {
      ...(step === 'accepted'
        ? { requestId: `r-${id.slice(-4)}`, result: '{"endpoint":"fees.withdraw","data":{}}' }
        : {}),
      ...(step === 'failed' ? { detail: 'a line\nbreak, \\, \t and é' } : {}),
    });
}

/** Writes a journal from two hosts, and returns the lines of its export. */
async function written(): Promise<string[]> {
  const path = join(temporaryFolder(onTestFinished), 'journal.db');
  const [clock, ids] = [fakeClock(), countingIds()];
  const hosts = [
    await testJournal({ path, ids, clock }),
    await testJournal({ path, ids: countingIds(2), clock, host: oneProcess(200, 'host-2') }),
  ] as const;
  for (const [index, [intent, ...steps]] of STEPS.entries()) {
    const journal = hosts[index % 2 === 0 ? 0 : 1];
    const id = await prepared(journal, { ...INTENT, ...intent, input: `input ${index}` });
    for (const step of steps) {
      clock.pass(61_007);
      await move(journal, id, step);
    }
  }
  const lines = await exported(hosts[0]);
  for (const journal of hosts) await journal.close();
  return lines;
}

async function exported(journal: Journal): Promise<string[]> {
  const lines: string[] = [];
  for await (const page of journal.exported(true)) lines.push(...page.map((line) => JSON.stringify(line)));
  return lines;
}

async function imported(lines: readonly string[]): Promise<Journal> {
  const journal = await testJournal({ ids: countingIds(3) });
  onTestFinished(() => journal.close());
  await journal.importFrom(lines, [INTENT.account]);
  return journal;
}

/** The text of an entry: written here a second time, from the description of the format. */
function textOf(entry: Line): string {
  const operation = linesOf('operation').find(({ id }) => id === entry['operation_id']) ?? {};
  const names = ['id', 'kind', 'account', 'profile', 'mode', 'base_url', 'endpoint', 'effect', 'command', 'summary'];
  const more = ['request', 'input_digest', 'once_key', 'tag', 'run_by', 'host', 'created_at', 'process', 'asset'];
  const text = (value: Line[string] | undefined) => (typeof value === 'number' ? String(value) : (value ?? null));
  const fixed = [...names, ...more, 'minor', 'baseline', 'authority'].map((name) => text(operation[name]));
  const told = ['sequence', 'operation_id', 'host', 'state', 'at', 'request_id', 'verdict', 'detail', 'result'];
  return JSON.stringify([
    ...told.map((name) => text(entry[name])),
    entry['state'] === 'prepared' ? JSON.stringify(fixed) : null,
    ...['busy_until', 'subject', 'value'].map((name) => text(entry[name])),
  ]);
}

describe('a journal that was exported once', () => {
  test('has every transition', () => {
    const states = new Map<unknown, unknown>();
    const found = new Set(
      linesOf('entry')
        .filter(({ state }) => state !== 'fact')
        .map(({ operation_id: id, state, verdict = null }) => {
          const before = states.get(id) ?? '';
          states.set(id, state);
          return `${before} ${verdict ?? state}`;
        }),
    );
    expect([...found].toSorted()).toEqual([
      ' prepared',
      'accepted completed',
      'accepted failed',
      'accepted settled',
      'prepared rejected',
      'prepared sent',
      'sent accepted',
      'sent destroyed',
      'sent failed',
      'sent rejected',
      'sent settled',
      'sent unknown',
      'settled failed',
      'unknown accepted',
      'unknown failed',
      'unknown not-done',
      'unknown rejected',
      'unknown settled',
      'unknown unknown',
    ]);
  });

  test('has the hashes of its text, each over the one before it', () => {
    let last = '';
    for (const entry of linesOf('entry')) {
      const text = `${last}\n${textOf(entry)}`;
      expect(createHash('sha256').update(text).digest('base64url'), text).toBe(entry['hash']);
      last = String(entry['hash']);
    }
  });

  test('verifies after an import, with every checkpoint that it had', async () => {
    const journal = await imported(LINES);
    const entries = linesOf('entry');
    const verified = { entries: entries.length, operations: STEPS.length, problem: undefined };
    for (const { hash } of entries) expect(await journal.verify(String(hash))).toMatchObject(verified);
  });

  test('is written today as what is kept here, and is exported as it was', async () => {
    const lines = await written();
    if (process.env['UPDATE_KEPT_ENTRIES'])
      writeFileSync(join(ROOT, 'test', 'journal', 'kept-entries.ndjson'), `${lines.join('\n')}\n`);
    expect(lines).toEqual(LINES);
    expect(await exported(await imported(LINES))).toEqual(LINES);
  });

  test('is not imported with any part of an entry changed', async () => {
    const taken: string[] = [];
    for (const state of new Set(PARSED.map((line) => line['state']).filter((each) => each !== undefined))) {
      const index = PARSED.findLastIndex((line) => line['state'] === state);
      const line = PARSED[index] ?? {};
      for (const name of ['at', 'request_id', 'verdict', 'detail', 'result', 'state', 'hash']) {
        const value = line[name] ?? null;
        const other = typeof value === 'number' ? value + 1 : value === null ? 'x' : `${value}x`;
        const changed = LINES.with(index, JSON.stringify({ ...line, [name]: other }));
        await imported(changed).then(
          () => taken.push(`${name} of an entry of ${state}`),
          () => {},
        );
      }
    }
    expect(taken).toEqual([]);
  });
});
