import { Fault } from '../../contract/faults.ts';
import { decimalText, trimDecimal } from '../../money/decimal.ts';
import type { Call } from '../context.ts';
import { type VaultRow, vaultOf } from './signing.ts';

/** Returns the fintech's vault. Throws VALIDATION_ERROR if there is none. */
export function requiredVault({ store, fintech }: Call): VaultRow {
  const vault = vaultOf(store, fintech.id);
  if (!vault) throw new Fault('VALIDATION_ERROR', 'register an MPC vault first');
  return vault;
}

export const dollars = (cents: bigint) => trimDecimal(decimalText(cents, 2));
