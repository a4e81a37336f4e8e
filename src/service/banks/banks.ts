export interface Bank {
  readonly code: string;
  readonly name: string;
}

/**
 * Nigerian banks by NIBSS institution code: a selection, because the full list is not published. Source: public (the
 * codes).
 */
export const BANKS: readonly Bank[] = [
  ['000014', 'ACCESS BANK'],
  ['070010', 'ABBEY MORTGAGE BANK'],
  ['090270', 'AB MICROFINANCE BANK'],
  ['090260', 'ABOVE ONLY MICROFINANCE BANK'],
  ['000009', 'CITIBANK'],
  ['000010', 'ECOBANK'],
  ['000003', 'FIRST CITY MONUMENT BANK'],
  ['000007', 'FIDELITY BANK'],
  ['000016', 'FIRST BANK OF NIGERIA'],
  ['000027', 'GLOBUS BANK'],
  ['000013', 'GUARANTY TRUST BANK'],
  ['090147', 'HACKMAN MICROFINANCE BANK'],
  ['070017', 'HAGGAI MORTGAGE BANK'],
  ['090291', 'HALA MICROFINANCE BANK'],
  ['090121', 'HASAL MICROFINANCE BANK'],
  ['000006', 'JAIZ BANK'],
  ['000002', 'KEYSTONE BANK'],
  ['090267', 'KUDA MICROFINANCE BANK'],
  ['090405', 'MONIEPOINT MICROFINANCE BANK'],
  ['100004', 'OPAY'],
  ['100033', 'PALMPAY'],
  ['000008', 'POLARIS BANK'],
  ['000023', 'PROVIDUS BANK'],
  ['000012', 'STANBIC IBTC BANK'],
  ['000021', 'STANDARD CHARTERED BANK'],
  ['000001', 'STERLING BANK'],
  ['000022', 'SUNTRUST BANK'],
  ['000026', 'TAJ BANK'],
  ['000025', 'TITAN TRUST BANK'],
  ['000018', 'UNION BANK'],
  ['000004', 'UNITED BANK FOR AFRICA'],
  ['000011', 'UNITY BANK'],
  ['000017', 'WEMA BANK'],
  ['000015', 'ZENITH BANK'],
].map(([code = '', name = '']) => ({ code, name }));

/** Three-digit codes that some documents use for these banks. Source: public. */
const SHORT_CODES: Readonly<Record<string, string>> = {
  '044': '000014',
  '058': '000013',
  '033': '000004',
  '057': '000015',
  '011': '000016',
  '050': '000010',
  '070': '000007',
  '214': '000003',
  '221': '000012',
  '232': '000001',
  '032': '000018',
  '035': '000017',
};

export function bankByCode(code: string): Bank | undefined {
  const long = SHORT_CODES[code] ?? code;
  return BANKS.find((bank) => bank.code === long);
}

/** The bank behind the service's virtual accounts. Source: inferred. */
export const VIRTUAL_ACCOUNT_BANK = { name: 'PROVIDUS BANK', code: '000023', provider: 'novac' } as const;

/** What an event says about a failed payout or offramp. */
export interface PayoutError {
  readonly code: string;
  readonly message: string;
  readonly retryable: boolean;
}

/** The bank rejected the payout. Source: public for the code. */
export const PAYOUT_FAILED: PayoutError = {
  code: 'PAYOUT_FAILED',
  message: 'the bank rejected the payout; the cNGN was returned',
  retryable: true,
};
