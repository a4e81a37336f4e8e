import { execFileSync } from 'node:child_process';
import { appendFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { SEEN_ACCOUNTS } from '../../../src/copy/balance-checks.ts';
import { inFile, lessBy, type Moment, type Sums } from '../../copy/ledger.ts';
import { chances } from '../../copy/served.ts';
import { programOf } from '../programs.ts';
import { changedLine, changedRow, changedText, tally } from './changes.ts';
import { fileOf, PROGRAMS } from './foreign.ts';
import { closed, codeOf, edited, inHome, type LivedAccount, livedAccount, MONTHS, must } from './lived.ts';

const IS_LONG = process.env['FIATRAIL_SOAK_BOOKS'] !== undefined;
const SEED = Number(process.env['FIATRAIL_SOAK_SEED'] ?? 7);
/** How many texts of each form are changed. */
const CHANGES = IS_LONG ? 100 : 15;
/** In the short form, around the end of October, and somewhere in November. */
const isAtWork = (day: number) => IS_LONG || [28, 29, 30, 31, 32, 45].includes(day);

function note(...lines: readonly string[]): void {
  const path = process.env['FIATRAIL_SOAK_LOG'];
  if (path) appendFileSync(path, `${lines.join('\n')}\n`);
}

const tableOf = (said: Sums, truth: Sums): readonly string[] =>
  [...new Set([...Object.keys(truth), ...Object.keys(said)])]
    .sort()
    .map((name) => `  ${name}: hledger ${said[name] ?? 0n}, ledger ${truth[name] ?? 0n}`);

/** The accounts of which the sandbox's ledger has the balance, or for income and expenses what they had in a month. */
function truthOf({ moments }: LivedAccount, index: number): Sums {
  const [before, after] = [moments[index], moments[index + 1]] as [Moment, Moment];
  const isCarried = (name: string) => /^(?:assets|liabilities):/.test(name);
  const carried = Object.entries(after.sums).filter(([name]) => isCarried(name));
  const moved = Object.entries(lessBy(after.sums, before.sums)).filter(([name]) => !isCarried(name));
  return Object.fromEntries([...carried, ...moved]);
}

/** What the ledger of the sandbox has no account for: the other sides, and bridges. */
const isOther = (name: string) => /^(?:equity:|assets:transit:bridge|expenses:platform:bridge)/.test(name);

/** The balances that hledger adds up. */
function balancesOf(text: string): Sums {
  const argv = ['balance', '-f', fileOf(text), '-O', 'csv', '-N', '--layout', 'bare', '--flat'];
  const lines = execFileSync(programOf('hledger', 'hledger'), argv, { encoding: 'utf8' }).trim().split('\n').slice(1);
  return Object.fromEntries(
    lines.flatMap((line) => {
      const [name = '', asset = '', value = ''] = line.replaceAll('"', '').split(',');
      const minor = BigInt(value.replace('.', ''));
      return isOther(name) || minor === 0n ? [] : [[`${name} ${asset}`, minor] as const];
    }),
  );
}

/** Makes `CHANGES` changes, and expects that each is noticed. One that changes nothing is undefined. */
async function eachNoticed(
  title: string,
  change: (each: number) => Promise<readonly [what: string, by: string] | undefined>,
  count = CHANGES,
) {
  const counted = tally();
  for (let each = 0; each < count; ) {
    const made = await change(each);
    if (!made) continue;
    counted.add(...made);
    each++;
  }
  note(title, ...counted.lines());
  expect(counted.missed()).toEqual([]);
}

const monthOf = (each: number) => MONTHS[each % MONTHS.length]?.[0] ?? '';

test('the books of two months of work are accepted, have the balances of the ledger, and no change goes unnoticed', async () => {
  const lived = await livedAccount({ seed: SEED, isAtWork });
  const { machine } = lived;
  const chance = chances(SEED);
  const typed = (await closed(machine, '2026-10', '--dry-run')).at(-1) ?? [];
  for (const account of SEEN_ACCOUNTS) {
    // A row that came back as a whole, or has another price, changes nothing that was read.
    const balance = () =>
      inFile(machine.copyPath)(
        `SELECT asset, sum(amount_minor) FROM book_entries WHERE account = '${account}' GROUP BY 1`,
      );
    const is = balance().join();
    await eachNoticed(
      `report close: changed rows of ${account}`,
      async () => {
        const [what, sql] = changedRow(machine.copyPath, '2026-10', chance, account);
        return edited(machine, sql, async () =>
          balance().join() === is ? undefined : [what, codeOf(await machine.run(...typed, '-o', 'json')) ?? 'nobody'],
        );
      },
      Math.ceil(CHANGES / SEEN_ACCOUNTS.length),
    );
  }
  for (const [month] of MONTHS) note(...(await closed(machine, month)).map((line) => line.join(' ')));
  const books = new Map<string, string>();
  for (const [month] of MONTHS)
    for (const format of ['hledger', 'beancount', 'csv'])
      books.set(`${month} ${format}`, await must(machine, 'report', 'books', month, '--format', format));
  const bookOf = (month: string, format: string): string => books.get(`${month} ${format}`) ?? '';

  for (const { name, format, check } of PROGRAMS) {
    for (const [month] of MONTHS)
      expect(check(fileOf(bookOf(month, format))), `${name} ${month}`).toMatchObject({
        status: 0,
        stdout: '',
        stderr: '',
      });
    await eachNoticed(`${name}: changed books`, async (each) => {
      const [what, text] = changedText(bookOf(monthOf(each), format), chance);
      return [what, check(fileOf(text)).status === 0 ? 'nobody' : name];
    });
  }

  for (const [index, [month]] of MONTHS.entries()) {
    const [said, truth] = [balancesOf(bookOf(month, 'hledger')), truthOf(lived, index)];
    note(`${month}: ${Object.keys(truth).length} balances of the ledger`, ...tableOf(said, truth));
    expect(said).toEqual(truth);
  }

  const file = inHome(machine, 'books.csv');
  const checked = async (text: string) => {
    writeFileSync(file, text);
    return codeOf(await machine.run('report', 'close', '--check', file, '-o', 'json'));
  };
  for (const [month] of MONTHS) expect(await checked(bookOf(month, 'csv'))).toBeUndefined();
  await eachNoticed('close --check: changed books', async (each) => {
    const [what, text] = changedLine(bookOf(monthOf(each), 'csv'), chance);
    return [what, (await checked(text)) ?? 'nobody'];
  });

  await eachNoticed('after the close: changed rows of the copy', async (each) => {
    const month = monthOf(each);
    // An amount that was stated beside the one that moved is in no entry.
    const entries = () =>
      inFile(machine.copyPath)(`SELECT count(*), sum(abs(amount_minor)) FROM book_entries WHERE day LIKE '${month}-%'`);
    const is = entries().join();
    const [what, sql] = changedRow(machine.copyPath, month, chance);
    return edited(machine, sql, async () => {
      if (entries().join() === is) return undefined;
      const report = codeOf(await machine.run('report', month, '-o', 'json'));
      const csv = await machine.run('report', 'books', month, '--format', 'csv');
      const check = await checked(csv.stdout);
      return [what, report || check ? `report ${report}, books ${csv.code}, check ${check}` : 'nobody'];
    });
  });
});
