import type { Machine } from '../machine.ts';
import type { VaultRow } from './signing.ts';

/** An MPC vault waits for approval by the service's staff. Source: public. */
export const vault: Machine<VaultRow> = {
  name: 'vault',
  table: 'fx_vault',
  transitions: [
    { on: 'approved', from: ['pending'], to: 'active' },
    // Source: public for the state, inferred for the transition.
    { on: 'rejected', from: ['pending'], to: 'inactive' },
  ],
};
