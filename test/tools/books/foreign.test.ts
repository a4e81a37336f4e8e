import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { beancountText } from '../../../src/copy/questions/books/beancount.ts';
import { hledgerText } from '../../../src/copy/questions/books/hledger.ts';
import { MONTH, novemberOf, textOf } from '../../questions/books/account.ts';
import { programOf } from '../programs.ts';
import { fileOf, PROGRAMS } from './foreign.ts';

const WRITERS = { hledger: hledgerText, beancount: beancountText } as const;

/** Texts that differ from books in one posting: it is another amount, has the other sign, is not there, or is there twice. */
function* changed(text: string): Generator<string> {
  const lines = text.split('\n');
  for (const [index, line] of lines.entries()) {
    const amount = /^( +\S+ {2}-?\d+\.\d*)(\d)( [A-Z]+(?: @@ .*)?)$/.exec(line);
    if (!amount) continue;
    const [, start, digit, end] = amount;
    const opposite = line.replace(
      /( {2})(-?)(\d)/,
      (_, gap, sign, first) => `${gap}${sign === '-' ? '' : '-'}${first}`,
    );
    for (const other of [`${start}${(Number(digit) + 1) % 10}${end}`, opposite, undefined, `${line}\n${line}`])
      yield lines.flatMap((each, at) => (at === index ? (other === undefined ? [] : [other]) : [each])).join('\n');
  }
}

/** Texts without one transaction, and with one twice. */
function* changedWhole(text: string): Generator<string> {
  const parts = text.split('\n\n');
  for (const [index, part] of parts.entries()) {
    if (!/id:/.test(part)) continue;
    yield parts.filter((_, at) => at !== index).join('\n\n');
    yield [...parts.slice(0, index), part, ...parts.slice(index)].join('\n\n');
  }
}

describe.each(PROGRAMS)('$name', ({ format, check: checkFile }) => {
  const write = WRITERS[format];
  const check = (text: string) => checkFile(fileOf(text));

  test('accepts the books', async () => {
    expect(check(await textOf(write(await novemberOf(MONTH))))).toMatchObject({ status: 0, stdout: '', stderr: '' });
  });

  test('refuses each change of a posting or a transaction', async () => {
    const text = await textOf(write(await novemberOf(MONTH)));
    const all = [...changed(text), ...changedWhole(text)];
    expect(all.length).toBeGreaterThan(100);
    const accepted = all.filter((each) => check(each).status === 0);
    expect(accepted).toEqual([]);
  });
});

test('hledger adds up the books to what the closing balances say', async () => {
  const file = fileOf(await textOf(hledgerText(await novemberOf(MONTH))));
  const csv = execFileSync(programOf('hledger', 'hledger'), ['balance', '-f', file, '-O', 'csv', '-N'], {
    encoding: 'utf8',
  });
  expect(csv).toMatchInlineSnapshot(`
    ""account","balance"
    "assets:bank","14900.00 NGN"
    "assets:fees","2.89 NGN"
    "assets:held","60.000000 CNGN"
    "assets:vault","0.000006 USDC"
    "assets:wallet","84989.999999 CNGN"
    "assets:transit:fees","10.00 NGN"
    "equity:opening","-100000.000000 CNGN, -12.34 NGN"
    "expenses:platform:payout","100.00 NGN"
    "expenses:platform:trade","0.000001 USDC"
    "income:offramp","-0.55 NGN"
    "liabilities:users:u-1","-30.000000 CNGN"
    "liabilities:users:x3d1b3ef0dcb8fbb0f58548fd038f5585","-30.000000 CNGN"
    "
  `);
});
