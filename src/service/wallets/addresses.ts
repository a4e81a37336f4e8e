import { Fault } from '../../contract/faults.ts';
import { addressProblemOn, ledgerNetwork, type Network, networkOf } from '../../contract/networks.ts';

/** An address and its blockchain, as given in a request. */
interface GivenAddress {
  readonly address: string;
  readonly blockchain: string;
}

/** Returns the network key of an address, one of `allowed`. Throws VALIDATION_ERROR. */
export function requireAddress({ address, blockchain }: GivenAddress, allowed: readonly string[]): string {
  const network = networkOf(blockchain);
  if (!network || !allowed.includes(ledgerNetwork(network)))
    throw new Fault('VALIDATION_ERROR', `blockchain: expected one of ${allowed.join(', ')}`);
  requireForm(network, address, 'address');
  return ledgerNetwork(network);
}

/** Throws VALIDATION_ERROR if an address does not have the network's format; `field` is its name in the request. */
export function requireForm(network: Network, address: string, field: string): void {
  const problem = addressProblemOn(network, address);
  if (problem) throw new Fault('VALIDATION_ERROR', `${field}: expected an address on ${network.name}: ${problem}`);
}
