import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Intent } from '../../src/journal/intent.ts';
import type { Journal } from '../../src/journal/interface.ts';
import type { OperationState, Verdict } from '../../src/journal/states.ts';
import { ROOT, temporaryFolder } from '../support/built.ts';
import { EARLIER_HEADS, EARLIER_LINES, earlierLines, type Line } from '../support/earlier-journal.ts';
import { INTENT, oneProcess, prepared, testJournal } from '../support/journal-intent.ts';
import { countingIds, fakeClock } from '../support/sandbox.ts';

/** What the same commands write today. */
const LINES = readFileSync(join(ROOT, 'test', 'journal', 'kept-entries.ndjson'), 'utf8')
  .trimEnd()
  .split('\n');

/** What each operation goes through: every state after every one that it may follow. */
const STEPS: readonly (readonly [Partial<Intent>, ...(OperationState | Verdict)[]])[] = [
  [{}],
  [{ idempotencyKey: 'refused-early' }, 'refused'],
  [{ moves: { asset: 'NGN', minor: 50_000n } }, 'sent', 'refused'],
  [{ moves: { asset: 'USDC', minor: 123_456_789_012_345_678n }, tag: '[fr-0001]' }, 'sent', 'accepted', 'settled'],
  [{ moves: { asset: 'CNGN', minor: 1n }, idempotencyKey: 'fees-2026-11' }, 'sent', 'accepted', 'settled', 'failed'],
  [{ idempotencyKey: 'naïve “key” \u2028 🔑' }, 'sent', 'accepted', 'failed'],
  [{ baseline: { serviceAtMs: 1_767_603_600_123 } }, 'sent', 'unknown', 'unknown', 'accepted', 'completed'],
  [{ moves: { asset: 'NGN', minor: 7n }, baseline: { serviceAtMs: 5 } }, 'sent', 'unknown', 'settled'],
  [{ kind: 'destructive' }, 'sent', 'unknown', 'failed'],
  [{ kind: 'onboarding' }, 'sent', 'unknown', 'refused'],
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

/** The text of a link: written here a second time, from the description of the format. */
function textOf(link: Line): string {
  const operation = earlierLines('operation').find(({ id }) => id === link['operation_id']) ?? {};
  const names = ['id', 'kind', 'account', 'profile', 'mode', 'base_url', 'endpoint', 'effect', 'command', 'summary'];
  const more = ['request', 'input_digest', 'once_key', 'tag', 'operator', 'host', 'created_at'];
  const later = ['asset', 'minor', 'baseline'].filter((name) => Object.hasOwn(operation, name));
  const fixed = [...names, ...more, ...later].map((name) =>
    name === 'created_at' ? String(operation[name]) : operation[name],
  );
  return JSON.stringify([
    ...[String(link['sequence']), link['operation_id'], link['host'], link['state'], String(link['at'])],
    ...[link['request_id'], link['verdict'], link['detail'], link['result']],
    link['state'] === 'prepared' ? JSON.stringify(fixed) : null,
  ]);
}

describe('a journal of an earlier build', () => {
  test('has every transition', () => {
    const states = new Map<unknown, unknown>();
    const found = new Set(
      earlierLines('transition').map(({ operation_id: id, state, verdict }) => {
        const before = states.get(id) ?? '';
        states.set(id, state);
        return `${before} ${verdict ?? state}`;
      }),
    );
    expect([...found].toSorted()).toEqual([
      ...[
        ' prepared',
        'accepted completed',
        'accepted failed',
        'accepted settled',
        'prepared refused',
        'prepared sent',
      ],
      ...['sent accepted', 'sent destroyed', 'sent failed', 'sent refused', 'sent settled', 'sent unknown'],
      ...['settled failed', 'unknown accepted', 'unknown failed', 'unknown not-done', 'unknown refused'],
      ...['unknown settled', 'unknown unknown'],
    ]);
  });

  test('has the hashes of its text, each over the one before it of its host', () => {
    const last = new Map<unknown, string>();
    for (const link of earlierLines('transition')) {
      const text = `${last.get(link['host']) ?? ''}\n${textOf(link)}`;
      expect(createHash('sha256').update(text).digest('base64url'), text).toBe(link['hash']);
      last.set(link['host'], String(link['hash']));
    }
    expect(Object.fromEntries(last)).toEqual(EARLIER_HEADS);
  });

  test('verifies after an import, with every head that it had', async () => {
    const journal = await imported(EARLIER_LINES);
    const entries = earlierLines('transition').length;
    expect(await journal.verify()).toMatchObject({
      // The joint, the key of the digests, a key of the account, and three idempotency keys.
      ...{ entries: entries + 6, operations: STEPS.length, problem: undefined },
      joint: { sequence: BigInt(entries + 1), hosts: EARLIER_HEADS },
    });
    for (const { hash } of earlierLines('transition'))
      expect((await journal.verify(String(hash))).problem).toBeUndefined();
  });

  test('is exported and imported again as it is then', async () => {
    const lines = await exported(await imported(EARLIER_LINES));
    const again = await imported(lines);
    expect((await again.verify()).problem).toBeUndefined();
    expect(await exported(again)).toEqual(lines);
  });

  test('is written today as what is kept here, and is exported as it was', async () => {
    const lines = await written();
    if (process.env['UPDATE_KEPT_ENTRIES'])
      writeFileSync(join(ROOT, 'test', 'journal', 'kept-entries.ndjson'), `${lines.join('\n')}\n`);
    expect(lines).toEqual(LINES);
    expect(await exported(await imported(LINES))).toEqual(LINES);
  });

  test.each([
    ['earlier', EARLIER_LINES],
    ['present', LINES],
  ])('of the %s format is not imported with any part of an entry changed', async (_format, lines) => {
    const taken: string[] = [];
    const parsed = lines.map((line) => JSON.parse(line) as Line);
    for (const state of new Set(parsed.map((line) => line['state']).filter((each) => each !== undefined))) {
      const index = parsed.findLastIndex((line) => line['state'] === state);
      const line = parsed[index] ?? {};
      for (const name of ['at', 'request_id', 'verdict', 'detail', 'result', 'state', 'hash']) {
        const value = line[name] ?? null;
        const other = typeof value === 'number' ? value + 1 : value === null ? 'x' : `${value}x`;
        const changed = lines.with(index, JSON.stringify({ ...line, [name]: other }));
        await imported(changed).then(
          () => taken.push(`${name} of an entry of ${state}`),
          () => {},
        );
      }
    }
    expect(taken).toEqual([]);
  });
});
