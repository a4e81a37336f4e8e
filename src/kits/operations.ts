/**
 * The operations of the service and the controls of the sandbox, by their ids. The package has their types written out, with the
 * unit of every amount, by scripts/kit-types.ts from the contract.
 */
export interface Operations {
  readonly [id: string]: { readonly input: Readonly<Record<string, unknown>>; readonly output: unknown };
}

/** The sandbox's controls, by their names. */
export interface Controls {
  readonly [name: string]: (input?: Readonly<Record<string, unknown>>) => Promise<unknown>;
}

/** An exact amount in whole Naira or tokens: `{ value: '5000.00', asset: 'NGN' }`. */
export interface Amount {
  readonly value: string;
  readonly asset: 'NGN' | 'CNGN' | 'USDC' | 'USDT';
}

/** `faultAdd` for `sandbox.fault-add`. */
export const controlName = (id: string): string =>
  id.replace(/^sandbox\./, '').replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
