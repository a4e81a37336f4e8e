/** Where fee withdrawals go in tests. */
export const TO = ['--bank-code', '000013', '--account-number', '0123456789', '--account-name', 'ADA'];

/** The command line of a fee withdrawal. */
export const withdraw = (amount: string, ...more: readonly string[]) => [
  'fees',
  'withdraw',
  '--amount',
  amount,
  ...TO,
  '--yes',
  ...more,
];
