/** One place where the contract differs from the witness on purpose. `row` is as a difference names it. */
export interface Deviation {
  readonly endpoint: string;
  readonly row: string;
  readonly reason: string;
}

const BUSINESS_REFUSAL =
  'A business refusal that the public table gives as 500. It keeps its code and is 400: a 5xx to a money request must mean that the outcome is unknown.';

export const deviations: readonly Deviation[] = [
  {
    endpoint: 'users.onboard-status',
    row: 'errors.BVN_VALIDATION_FAILED',
    reason:
      'Seen by one client, with neither an HTTP status nor a code, so there is no refusal to declare. ' +
      'A failed onboarding is read as status failed, with the details that client saw.',
  },
  ...(
    [
      ['transactions.fintech-offramp', 'INSUFFICIENT_BALANCE'],
      ['transactions.withdraw-asset', 'INSUFFICIENT_BALANCE'],
      ['transactions.fintech-transfer', 'INSUFFICIENT_BALANCE'],
      ['swaps.create', 'INSUFFICIENT_BALANCE'],
      ['swaps.trigger', 'INSUFFICIENT_LIQUIDITY'],
      ['fx.create-order', 'INTERNAL_ERROR'],
      ['fx.create-limit-order', 'INTERNAL_ERROR'],
      ['fx.quote', 'INTERNAL_ERROR'],
      ['fx.trade', 'INTERNAL_ERROR'],
      ['fx.market-order', 'INTERNAL_ERROR'],
    ] as const
  ).map(([endpoint, name]) => ({ endpoint, row: `errors.${name}`, reason: BUSINESS_REFUSAL })),
];

/** Endpoints that stand in two data files and are one. */
export const overlaps: Readonly<Record<string, string>> = { 'wallets.get-fx-settings': 'fx.settings' };
