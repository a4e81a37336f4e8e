import { type CheckFacts, checkRows, type ReadyRow, type RowCheck } from '../../src/bulk/check.ts';
import { type Header, headerIn, type RowCommand } from '../../src/bulk/columns.ts';
import { csvRows, requireCsv } from '../../src/bulk/csv.ts';
import { bankIn, savedWith } from '../../src/bulk/facts.ts';
import { commandAs, rowCommandOf } from '../../src/commands/bulk/row-command.ts';
import { CATALOGUE } from '../../src/commands/catalogue.ts';

export const BANKS = [
  { code: '000013', name: 'GUARANTY TRUST BANK' },
  { code: '000014', name: 'ACCESS BANK' },
  { code: '000015', name: 'ZENITH BANK' },
  { code: '090267', name: 'KUDA MICROFINANCE BANK' },
];

/** A number with the check digit of Guaranty Trust Bank. */
export const NUMBER = '0123456785';

/** Saved bank accounts: two banks may have the same number. */
export const SAVED = [
  { accountId: 'saved-one', accountNumber: NUMBER, bankCode: '000013' },
  { accountId: 'saved-two', accountNumber: '0123456790', bankCode: '000013' },
  { accountId: 'saved-three', accountNumber: '0123456790', bankCode: '000015' },
  { accountId: 'saved-four', accountNumber: '1111111111', bankCode: '000014' },
  { accountId: 'saved-five', accountNumber: '1111111111', bankCode: '000014' },
];

export const FACTS: CheckFacts = {
  bank: (text) => bankIn(BANKS, text),
  savedAccount: (accountNumber, bankCode) => savedWith(SAVED, accountNumber, bankCode),
  bankCodes: BANKS.map(({ code }) => code),
  recent: new Map(),
};

export const commandOf = async (words: string): Promise<RowCommand> => rowCommandOf(await commandAs(CATALOGUE, words));

interface Found {
  readonly header: Header;
  readonly ready: readonly ReadyRow[];
  readonly check: RowCheck;
  readonly hasLineEnd: boolean;
}

/** Reads and checks the bytes of a file in parts of some size, without an account. */
export async function checked(
  given: string | Uint8Array,
  words = 'offramp create',
  { facts = FACTS, partBytes = 1000 }: { readonly facts?: CheckFacts; readonly partBytes?: number } = {},
): Promise<Found> {
  const bytes = typeof given === 'string' ? Buffer.from(given) : given;
  requireCsv(bytes.subarray(0, 65_536));
  const command = await commandOf(words);
  const header = headerIn(new TextDecoder().decode(bytes.subarray(0, 65_536)), command);
  const check = checkRows(command, header, facts);
  const ready: ReadyRow[] = [];
  function* parts() {
    for (let at = 0; at < bytes.length; at += partBytes) yield bytes.subarray(at, at + partBytes);
  }
  const rows = csvRows(parts(), header.delimiter);
  for (;;) {
    const next = await rows.next();
    if (next.done) return { header, ready, check, hasLineEnd: next.value.hasLineEnd };
    ready.push(...next.value.flatMap((row) => check.row(row) ?? []));
  }
}
