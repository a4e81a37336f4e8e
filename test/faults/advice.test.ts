import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import type { FaultKind } from '../../src/contract/sandbox.ts';
import { watchProcesses } from './money-death.ts';
import { GROUPS, TERSE_GROUPS } from './money-groups.ts';
import { type Furnished, furnishedSandbox, openRig, type Rig } from './money-rig.ts';

/** Faults after which the outcome is unknown: nothing was done, or it was, and no usable response says so. */
const FAULTS = ['lost-request', 'lost-response', 'http-500-after', 'malformed-json'] as const;

/** Commands that may be repeated at any time once the outcome of an equal one is known. */
const UNGUARDED = ['transactions.onramp', 'fx.trade', 'fx.market-order', 'fx.create-order'];

/** An order says what it offers from now on, and a BVN is accepted once: to repeat them moves nothing twice. */
const REPEATABLE = ['fx.update-limit-order', 'users.onboard'];

const IS_LONG = process.env['FIATRAIL_SOAK_CAMPAIGN'] !== undefined;

const ENDPOINTS = [...GROUPS, ...TERSE_GROUPS].flatMap((group) =>
  group.endpoints.filter((endpoint) => !REPEATABLE.includes(endpoint)).map((endpoint) => ({ group, endpoint })),
);

/** In the short form, each endpoint has a fault after which nothing was done, and in turn one of those after which it was. */
const CASES = ENDPOINTS.flatMap(({ group, endpoint }, index) => {
  const [undone, ...done] = FAULTS;
  const faults = IS_LONG ? FAULTS : [undone, done[index % done.length] ?? done[0]];
  return faults.map((fault) => [group.name, endpoint, fault, group] as const);
});

interface Failed {
  readonly code: string;
  readonly hint?: string;
  readonly operationId?: string;
}

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'fiatrail-'));
  return () => rmSync(folder, { recursive: true, force: true });
});

let prepared: Furnished | undefined;

const errorOf = (stderr: string): Failed => {
  const start = stderr.lastIndexOf('{"error"');
  return (JSON.parse(stderr.slice(start)) as { error: Failed }).error;
};

/** The command lines that a hint leads to: those that it names, and the line itself with the flags that it names. */
function ledTo(hint: string, line: readonly string[]): (readonly string[])[] {
  const named = [...hint.matchAll(/fiatrail ((?:[a-z-]+ )*[a-z-]+(?: [0-9a-f-]{36})?)/g)].map(([, words = '']) =>
    words.split(' '),
  );
  const plain = line.filter((word) => word !== '--again');
  return [
    ...named,
    ...(hint.includes('--again') ? [[...plain, '--again']] : []),
    ...(/--once|another (idempotency )?key/.test(hint) ? [[...plain, '--once', 'as-the-hint-says']] : []),
    ...(/\bagain\b/.test(hint.replace('--again', '')) ? [line] : []),
  ];
}

/**
 * Runs a command line, and whatever its errors advise, and what a person may try instead. Ends once a command says that it moved the money: to
 * move it again is then meant.
 */
async function heed(rig: Rig, line: readonly string[], endpoint: string, fault: FaultKind) {
  const movements = async () => (await rig.work()).length;
  const before = await movements();
  await rig.fault(endpoint, fault);
  const waiting: (readonly string[])[] = [line];
  const tried = new Set<string>();
  const log: string[] = [];
  const codes: string[] = [];
  for (let argv = waiting.shift(); argv; argv = waiting.shift()) {
    if (tried.has(argv.join(' ')) || tried.size > 25) continue;
    tried.add(argv.join(' '));
    const isMoney = argv.slice(0, 2).every((word, index) => word === line[index]);
    const { exit, stderr } = await rig.run([...argv, ...(isMoney ? ['--yes'] : []), '-q', '-o', 'json']);
    log.push(`${exit} ${argv.join(' ')} ${stderr.trim()}`);
    const moved = (await movements()) - before;
    expect(moved, log.join('\n')).toBeLessThanOrEqual(1);
    if (isMoney && exit === 0) return { codes, moved, log };
    if (exit === 0 || !stderr.includes('{"error"')) continue;
    const { code, hint = '' } = errorOf(stderr);
    codes.push(code);
    // The only advice that leads to a second movement: of what is known to be done, for someone who wants it twice.
    if (code === 'REPEATED') return { codes, moved, log };
    const isGuarded = !UNGUARDED.includes(endpoint);
    const others = [line, ...(isGuarded ? [[...line, '--again']] : []), [...line, '--once', 'fresh']];
    waiting.push(...(isMoney ? [...others, ...ledTo(hint, argv)] : ledTo(hint, line)));
  }
  return { codes, moved: (await movements()) - before, log };
}

test.each(CASES)('%s: no advice after %s with %s leads to a second movement', async (_name, endpoint, fault, group) => {
  watchProcesses(onTestFinished);
  prepared ??= await furnishedSandbox(join(folder, 'prepared.db'));
  const rig = await openRig(group, onTestFinished, { furnished: prepared });
  const terms = { ...rig.place, more: 1, isOpposite: false, tag: '', bvn: '22345678999' } as const;
  const { argv } = group.like({ endpoint, argv: [], terms }, {});
  const { codes, moved, log } = await heed(rig, argv, endpoint, fault);
  expect(codes.slice(0, 2), log.join('\n')).toEqual(['OUTCOME_UNKNOWN', 'OUTCOME_UNKNOWN']);
  // What was not done may be done once by what a hint advises.
  expect(fault === 'lost-request' ? [0, 1] : [1], log.join('\n')).toContain(moved);
});

test.each([
  ['that is answered', undefined, [0, 0], 2],
  ['whose response is lost', 'lost-response', [6, 9], 1],
] as const)('a command waits for an equal one that runs under another key, %s', async (_how, fault, exits, moved) => {
  watchProcesses(onTestFinished);
  prepared ??= await furnishedSandbox(join(folder, 'prepared.db'));
  const [group] = GROUPS.filter(({ endpoints }) => endpoints.includes('fees.withdraw'));
  const rig = await openRig(group ?? { work: '' }, onTestFinished, { furnished: prepared });
  const pay = (key: string) =>
    `fees withdraw --amount 501 ${rig.place.bank} --account-name ADA --yes -q --once ${key}`.split(' ');
  const before = (await rig.work()).length;
  if (fault) await rig.fault('fees.withdraw', fault);
  let second: ReturnType<Rig['run']> | undefined;
  const first = await rig.run(pay('a'), {
    onArrival: async () => {
      second ??= rig.run(pay('b'));
      // It meets the first one, which is still at work.
      for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
    },
  });
  expect([first.exit, (await second)?.exit], rig.log.slice(-2).join('\n')).toEqual(exits);
  expect((await rig.work()).length - before).toBe(moved);
});
