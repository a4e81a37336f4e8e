import { Fault } from '../contract/faults.ts';
import { addressProblemOn, ledgerNetwork, type Network, networkOf } from '../contract/networks.ts';

/** An address and the blockchain it is said to be on, as requests have them. */
interface Written {
  readonly address: string;
  readonly blockchain: string;
}

/** The key of the network an address is on, one of those in `allowed`. Throws VALIDATION_ERROR. */
export function requireAddress({ address, blockchain }: Written, allowed: readonly string[]): string {
  const network = networkOf(blockchain);
  if (!network || !allowed.includes(ledgerNetwork(network)))
    throw new Fault('VALIDATION_ERROR', `blockchain: expected one of ${allowed.join(', ')}`);
  requireForm(network, address, 'address');
  return ledgerNetwork(network);
}

/** Throws VALIDATION_ERROR for an address that does not look like one of the network; `field` is its name in the request. */
export function requireForm(network: Network, address: string, field: string): void {
  const problem = addressProblemOn(network, address);
  if (problem) throw new Fault('VALIDATION_ERROR', `${field}: expected an address on ${network.name}: ${problem}`);
}
