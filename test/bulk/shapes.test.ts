import { describe, expect, test } from 'vitest';
import { checked, NUMBER } from './files.ts';

const OTHER = '0123456790';
const lines = (...all: readonly string[]) => `${all.join('\n')}\n`;
const HEADER = 'Reference,User ID,Bank,Account Number,Amount';
const ROWS = [`A1,user-1,GTBank,${NUMBER},5000.00`, `A2,user-2,000013,${NUMBER},1234.56`] as const;
const plain = lines(HEADER, ...ROWS);

/** Files as programs and banks write them, which all say the same. */
const SHAPES: readonly (readonly [what: string, file: string | Uint8Array])[] = [
  ['plain', plain],
  ['Excel: byte order mark, CRLF', `\u{FEFF}${plain.replaceAll('\n', '\r\n')}`],
  ['Excel with sep=', `sep=;\r\n${plain.replaceAll(',', ';').replaceAll('\n', '\r\n')}`],
  ['old Mac', plain.replaceAll('\n', '\r')],
  ['line ends of several kinds', lines(HEADER, `${ROWS[0]}\r`, ROWS[1])],
  ['LibreOffice: every text quoted', plain.replaceAll(/[^,\n]+/g, '"$&"')],
  ['tabs', plain.replaceAll(',', '\t')],
  [
    'German: semicolons and decimal commas',
    plain.replaceAll(',', ';').replace('5000.00', '5000,00').replace('1234.56', '1234,56'),
  ],
  [
    'thousands in quotes',
    lines(HEADER, `A1,user-1,GTBank,${NUMBER},"5,000.00"`, `A2,user-2,000013,${NUMBER},"1,234.56"`),
  ],
  ['Naira signs', lines(HEADER, `A1,user-1,GTBank,${NUMBER},₦5000`, `A2,user-2,000013,${NUMBER},"₦1,234.56"`)],
  [
    'NGN before the amount',
    lines(HEADER, `A1,user-1,GTBank,${NUMBER},NGN 5000`, `A2,user-2,000013,${NUMBER},NGN 1234.56`),
  ],
  ['names as programs have them', plain.replace(HEADER, 'reference,userId,bankCode,accountNumber,amount')],
  ['snake case', plain.replace(HEADER, 'reference,user_id,bank_code,account_number,amount')],
  ['capitals and dots', plain.replace(HEADER, 'REF.,USER ID,BANK,ACCT. NO.,AMOUNT (NGN)')],
  ['a title and an empty line above', lines('Supplier payments November,,,,', ',,,,', HEADER, ...ROWS)],
  [
    'comments of the template',
    lines('# offramp create: one row for each', '# amount: 5000, "5000 NGN"', HEADER, ...ROWS),
  ],
  ['empty lines', lines(HEADER, '', ROWS[0], ',,,,', ROWS[1], '', '')],
  ['empty columns at the end', lines(HEADER, `${ROWS[0]},,`, `${ROWS[1]},,`)],
  ['other columns', lines(`S/N,${HEADER},Narration`, `1,${ROWS[0]},Goods`, `2,${ROWS[1]},"Goods, more"`)],
  [
    'a bank’s template',
    lines(
      'S/N,Beneficiary Name,Beneficiary Account Number,Bank Name,Bank Code,Amount,Currency,Payment Reference,User ID,Remarks',
      `1,ADA OBI,${NUMBER},GTBank,000013,5000.00,NGN,A1,user-1,Goods`,
      `2,BAYO ADE,${NUMBER},Guaranty Trust Bank,000013,1234.56,NGN,A2,user-2,"More ""goods"""`,
    ),
  ],
  [
    'LibreOffice in German: quoted texts, decimal commas, CRLF',
    lines(
      HEADER.replaceAll(/[^,]+/g, '"$&"').replaceAll(',', ';'),
      `"A1";"user-1";"GTBank";"${NUMBER}";5000,00`,
      `"A2";"user-2";"000013";"${NUMBER}";1234,56`,
    ).replaceAll('\n', '\r\n'),
  ],
  [
    'a bank’s template for vendors',
    lines(
      'PAYMENT AMOUNT,PAYMENT DATE,REFERENCE,REMARK,VENDOR CODE,VENDOR NAME,VENDOR ACCT NUMBER,VENDOR BANK CODE,USER ID',
      `5000.00,27/11/2026,A1,November,V001,ADA OBI,${NUMBER},000013,user-1`,
      `1234.56,27/11/2026,A2,November,V002,BAYO ADE,${NUMBER},000013,user-2`,
    ),
  ],
  [
    'a bank’s template with a narration and a currency',
    lines(
      'S/No.,Account Name,Account Number,Bank,Amount,Narration,Transaction Ref,Ccy,User ID',
      `1,ADA OBI,${NUMBER},Guaranty Trust Bank,"5,000.00",Salary/Nov,A1,NGN,user-1`,
      `2,BAYO ADE,${NUMBER},GTBank,"1,234.56",Salary/Nov,A2,NGN,user-2`,
    ),
  ],
  ['a total below', lines(HEADER, ...ROWS, 'Total,,,,6234.56')],
  ['a total below, first in another column', lines(HEADER, ...ROWS, ',,TOTAL:,,"6,234.56"')],
  ['a text of several lines', lines(`${HEADER},Remarks`, `${ROWS[0]},"one\ntwo"`, `${ROWS[1]},three`)],
  ['spaces around', lines(HEADER, ` A1 , user-1 , GTBank , ${NUMBER} , 5000.00 `, ROWS[1])],
  ['digits in groups', lines(HEADER, ROWS[0].replace(NUMBER, '012 345 6785'), ROWS[1])],
  ['a quote within a text', lines(`${HEADER},Remarks`, `${ROWS[0]},5" pipe`, `${ROWS[1]},x`)],
];

describe('a clean file of any shape has no mistake', () => {
  test.each(SHAPES)('%s', async (_, file) => {
    const { ready, check } = await checked(file);
    expect(check.findings.problems).toEqual([]);
    expect(
      ready.map(({ reference, texts, request }) => [reference, texts['bankCode'], JSON.stringify(request)]),
    ).toEqual([
      [
        'A1',
        '000013',
        `{"userId":"user-1","amount":5000,"accountNumber":"${NUMBER}","bankCode":"000013","ticker":"CNGN"}`,
      ],
      [
        'A2',
        '000013',
        `{"userId":"user-2","amount":1234.56,"accountNumber":"${NUMBER}","bankCode":"000013","ticker":"CNGN"}`,
      ],
    ]);
    expect([...check.findings.sums]).toEqual([['NGN', 623456n]]);
  });

  test.each([1, 7, 64, 100_000])('in parts of %i bytes', async (partBytes) => {
    const { ready } = await checked(
      `\u{FEFF}${plain.replaceAll('\n', '\r\n').replace('GTBank', '"Guaranty Trust"')}`,
      'offramp create',
      { partBytes },
    );
    expect(ready).toHaveLength(2);
  });
});

describe('what separates thousands must not be taken for decimals', () => {
  test.each(['1.234', '1,234'])('%s in a file with semicolons', async (amount) => {
    const { check } = await checked(lines(HEADER, ROWS[0].replace('5000.00', amount)).replaceAll(/,(?!\d{3}$)/gm, ';'));
    expect(check.findings.problems).toEqual([
      expect.objectContaining({ kind: 'error', column: 'Amount', problem: expect.stringContaining('thousands') }),
    ]);
  });

  test('of a token, which has six decimals', async () => {
    const { check } = await checked(`reference;amount;to\nA;1.234;${OTHER}\n`, 'payout create');
    expect(check.findings.badRows()).toBe(1);
  });
});

describe('a file that cannot be read', () => {
  test.each([
    ['a workbook', Buffer.from('PK\u0003\u0004rest', 'latin1'), /a workbook/],
    ['an old workbook', Buffer.from([0xd0, 0xcf, 0x11, 0xe0]), /old Excel workbook/],
    ['UTF-16', Buffer.from(`\u{FEFF}${plain}`, 'utf16le'), /UTF-16/],
    ['a PDF', '%PDF-1.7', /PDF/],
    ['JSON', '[{"reference":"A"}]', /JSON/],
    ['HTML', '<html>', /HTML/],
    ['nothing', '', /is empty/],
    ['a title only', 'Supplier payments\n', /no line with the titles/],
    ['Latin-1', Buffer.from(lines(`${HEADER},Name`, `${ROWS[0]},caf\u00e9`), 'latin1'), /line 2 is not in UTF-8/],
    ['a quote that is not closed', lines(HEADER, ROWS[0], 'A2,"user'), /line 3 has a quote that is not closed/],
    ['a row of 10 MB', `${HEADER}\nA1,${'x'.repeat(10_000_000)}\n`, /line 2 has more than 100000 characters/],
    [
      'a row of 10 MB in quotes',
      `${HEADER}\nA1,"${'x\n'.repeat(5_000_000)}"\n`,
      /line 2 has more than 100000 characters/,
    ],
  ])('%s', async (_, file, message) => {
    await expect(checked(file, 'offramp create', { partBytes: 65_536 })).rejects.toThrow(message);
  });

  test.each([
    ['no reference', 'User ID,Bank,Account Number,Amount', /line 1: a column is missing: reference/],
    ['columns', 'Reference,Amount,Bank', /line 1: columns are missing: user id, account number/],
    ['a column twice', `${HEADER},Acct No`, /"Account Number" and "Acct No" are the same column/],
    ['a typing error', 'Reference,User ID,Bank,Acount Number,Amount', /no column "Acount Number"/],
  ])('without %s', async (_, header, message) => {
    await expect(checked(lines(header, ...ROWS))).rejects.toThrow(message);
  });

  test('one that has no line end may be cut', async () => {
    expect((await checked(plain)).hasLineEnd).toBe(true);
    expect((await checked(plain.trimEnd())).hasLineEnd).toBe(false);
  });
});
