import type { Machine } from '../machine.ts';
import type { VaultRow } from '../market/signing.ts';

/** An MPC vault waits for the service's staff to approve it. Source: public. */
export const vault: Machine<VaultRow> = {
  name: 'vault',
  table: 'fx_vault',
  transitions: [{ on: 'approved', from: ['pending'], to: 'active' }],
};
