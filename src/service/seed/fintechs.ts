/** A seeded fintech and its opening balances in whole tokens. */
export interface SeededFintech {
  readonly name: string;
  readonly cngn: readonly (readonly [network: string, whole: bigint])[];
  /** The balance of USDC and of USDT, in the smart wallet and in the vault. */
  readonly stablecoins: bigint;
  readonly vaulted: bigint;
  /** The fintech's orders on the book. */
  readonly orders?: readonly SeededOrder[];
}

/** An order, placed for both pairs. `gives` is cNGN or stablecoin; the price is cNGN for one stablecoin. */
export interface SeededOrder {
  readonly gives: 'CNGN' | 'stablecoin';
  readonly price: bigint;
  readonly minimum: bigint;
  readonly maximum: bigint;
}

/** The caller's fintech, a second one for tests that need two, and two market makers. */
export const FINTECHS: readonly [SeededFintech, ...SeededFintech[]] = [
  {
    name: 'Harmattan Pay',
    cngn: [
      ['base', 5_000_000n],
      ['bsc', 250_000n],
    ],
    stablecoins: 2_000n,
    vaulted: 20_000n,
  },
  { name: 'Savanna Remit', cngn: [['base', 2_000_000n]], stablecoins: 1_000n, vaulted: 10_000n },
  {
    name: 'Lagoon Markets',
    cngn: [['base', 200_000_000n]],
    stablecoins: 0n,
    vaulted: 150_000n,
    orders: [
      { gives: 'stablecoin', price: 1_400n, minimum: 500n, maximum: 20_000_000n },
      { gives: 'stablecoin', price: 1_410n, minimum: 500n, maximum: 60_000_000n },
      { gives: 'CNGN', price: 1_390n, minimum: 500n, maximum: 20_000_000n },
    ],
  },
  {
    name: 'Delta Liquidity',
    cngn: [['base', 150_000_000n]],
    stablecoins: 0n,
    vaulted: 100_000n,
    orders: [
      { gives: 'stablecoin', price: 1_405n, minimum: 1_000n, maximum: 30_000_000n },
      { gives: 'CNGN', price: 1_388n, minimum: 1_000n, maximum: 30_000_000n },
      { gives: 'CNGN', price: 1_380n, minimum: 1_000n, maximum: 30_000_000n },
    ],
  },
];
