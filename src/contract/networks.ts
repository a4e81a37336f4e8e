import { type AddressForm, addressProblem } from '../crypto/address.ts';

export interface Network {
  readonly key: string;
  readonly name: string;
  readonly form: AddressForm;
}

/** The network of the service's own wallets. Source: interface. */
export const BASE: Network = { key: 'base', name: 'Base', form: 'evm' };

/**
 * Every network the service names. Keys: interface; `atc` and `asc` are both written for one network, so both are taken.
 * Names and address forms: public knowledge of the chains, inferred for atc, asc, arc and xbn.
 */
export const NETWORKS: readonly Network[] = [
  BASE,
  { key: 'eth', name: 'Ethereum', form: 'evm' },
  { key: 'bsc', name: 'BNB Smart Chain', form: 'evm' },
  { key: 'pol', name: 'Polygon', form: 'evm' },
  { key: 'celo', name: 'Celo', form: 'evm' },
  { key: 'lisk', name: 'Lisk', form: 'evm' },
  { key: 'arc', name: 'Arc', form: 'evm' },
  { key: 'asc', name: 'Asset Chain', form: 'evm' },
  { key: 'atc', name: 'Asset Chain', form: 'evm' },
  { key: 'monad', name: 'Monad', form: 'evm' },
  { key: 'trx', name: 'Tron', form: 'tron' },
  { key: 'sol', name: 'Solana', form: 'solana' },
  { key: 'xbn', name: 'Bantu', form: 'stellar' },
];

/** Longer names that clients write for the same networks. Source: public, client. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  ethereum: 'eth',
  bnb: 'bsc',
  polygon: 'pol',
  solana: 'sol',
  bantu: 'xbn',
};

/** A network by its key or one of its other names, in any case. */
export function networkOf(text: string): Network | undefined {
  const name = text.toLowerCase();
  const key = Object.hasOwn(OTHER_NAMES, name) ? OTHER_NAMES[name] : name;
  return NETWORKS.find((network) => network.key === key);
}

/** The key under which wallets hold what they have on a network: of the two written for one, always the same. */
export function ledgerNetwork({ key }: Network): string {
  return key === 'atc' ? 'asc' : key;
}

/** What is wrong with an address of the network: the shape it should have, or its checksum; undefined when nothing is. */
export function addressProblemOn({ form }: Network, address: string): string | undefined {
  return addressProblem(form, address);
}

/** Two spellings of one address: EVM addresses do not mind case, the others do. */
export function sameAddress(address: string): string {
  return /^0x[0-9a-fA-F]{40}$/.test(address) ? address.toLowerCase() : address;
}
