import { type AddressForm, addressProblem } from '../crypto/address.ts';

export interface Network {
  readonly key: string;
  readonly name: string;
  readonly form: AddressForm;
}

/** The network of account wallets and user wallets. Source: interface. */
export const BASE: Network = { key: 'base', name: 'Base', form: 'evm' };

/**
 * Every network the service names. Keys: interface; `atc` and `asc` both mean Asset Chain.
 * Names and address formats: public documentation of the chains; inferred for atc, asc, arc and xbn.
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

/** Longer names that clients use for these networks. Source: public, client. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  ethereum: 'eth',
  bnb: 'bsc',
  polygon: 'pol',
  solana: 'sol',
  bantu: 'xbn',
};

/** Finds a network by its key or an alternative name, case-insensitively. */
export function networkOf(text: string): Network | undefined {
  const name = text.toLowerCase();
  const key = Object.hasOwn(OTHER_NAMES, name) ? OTHER_NAMES[name] : name;
  return NETWORKS.find((network) => network.key === key);
}

/** Returns the key that the ledger uses for a network, which is the same for `atc` and `asc`. */
export function ledgerNetwork({ key }: Network): string {
  return key === 'atc' ? 'asc' : key;
}

/** Returns the expected format or the checksum error of an invalid address on the network; undefined if it is valid. */
export function addressProblemOn({ form }: Network, address: string): string | undefined {
  return addressProblem(form, address);
}

/** Returns a form of an address for comparison: EVM addresses are case-insensitive, others are not. */
export function sameAddress(address: string): string {
  return /^0x[0-9a-fA-F]{40}$/.test(address) ? address.toLowerCase() : address;
}
