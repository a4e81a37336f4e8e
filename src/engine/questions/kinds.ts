import type { Kind } from './kinds-of-work.ts';
import { WORK } from './kinds-of-work.ts';

/** Every kind that has an id, things before the work that belongs to them. */
export const KINDS: readonly Kind[] = [
  {
    name: 'user',
    table: 'users',
    read: {
      load: async () => (await import('../../contract/endpoints/users.ts')).getDetails,
      field: 'userId',
    },
    who: ['virtualAccount.accountName', 'lastName', 'firstName', 'personalDetails.lastName'],
    facts: [
      ['First name', 'firstName', 'personalDetails.firstName'],
      ['Last name', 'lastName', 'personalDetails.lastName'],
      ['Active', 'isActive'],
      ['EVM wallet', 'wallets.evm', 'walletDetails.evmWallet'],
      ['Account number', 'virtualAccount.accountNumber'],
      ['Bank', 'virtualAccount.bankName'],
    ],
    times: [
      ['created', 'createdAt'],
      ['verified', 'verifiedAt'],
    ],
    links: [
      ...['userId', 'wallets.evm', 'wallets.solana', 'wallets.bantu', 'virtualAccount.accountNumber'],
      'walletDetails.evmWallet',
    ],
    shows: 'users show',
    more: ['history deposits --user ID --all', 'onramp start ID --amount <naira>'],
  },
  {
    name: 'bank account',
    table: 'bank_accounts',
    read: {
      load: async () => (await import('../../contract/endpoints/banks.ts')).getBankAccount,
      field: 'accountId',
    },
    who: ['accountName'],
    facts: [
      ['Account name', 'accountName'],
      ['Account number', 'accountNumber'],
      ['Bank', 'bankName'],
      ['Label', 'label'],
      ['Default', 'isDefault'],
    ],
    times: [
      ['added', 'createdAt'],
      ['changed', 'updatedAt'],
    ],
    links: ['accountNumber'],
    shows: 'bank-accounts show',
    more: ['payout start --amount <cngn> --to ID'],
  },
  {
    name: 'external wallet',
    table: 'external_wallets',
    who: ['label'],
    facts: [
      ['Label', 'label'],
      ['Network', 'blockchain'],
      ['Type', 'type'],
      ['Default', 'isDefault'],
    ],
    times: [['added', 'addedAt']],
    links: ['address'],
    more: ['wallets show', 'balances address ID'],
  },
  ...WORK,
  { name: 'operation', facts: [], times: [], shows: 'ops show' },
  {
    name: 'event',
    facts: [
      ['Event', 'event'],
      ['Request', 'requestId'],
    ],
    times: [],
    shows: 'webhooks inbox show',
  },
];

/** Returns the kind of a row of a table of the mirror. */
export function kindOfRow(table: string, type: unknown): Kind {
  const all = KINDS.filter((kind) => kind.table === table);
  const found = all.find(({ types }) => types?.includes(String(type))) ?? all.find(({ types }) => types === undefined);
  return found ?? kindNamed(table);
}

/** Returns the kind of the work that an endpoint starts; `operation` for any other change. */
export const kindStartedBy = (endpointId: string): Kind =>
  KINDS.find(({ starts }) => starts?.includes(endpointId)) ?? kindNamed('operation');

/** Returns a kind by its name. */
export function kindNamed(name: string): Kind {
  const found = KINDS.find((kind) => kind.name === name);
  if (!found) throw new Error(`no kind is called ${name}`);
  return found;
}
