import {
  addExternalWallet,
  removeExternalWallet,
  setExternalWalletStatus,
} from '../../contract/endpoints/external-wallets.ts';
import { autoSigningConfig } from '../../contract/endpoints/management.ts';
import { getFintechAccount } from '../../contract/endpoints/virtual-accounts.ts';
import { getFintechWallet, listUserWallets } from '../../contract/endpoints/wallets.ts';
import type { Account } from '../../engine/account.ts';
import { outcomeOf } from '../../engine/outcome.ts';
import { externalWalletLines } from '../../engine/previews/names.ts';
import { PREVIEW_READ, readPreviews } from '../../engine/previews/previews.ts';
import { callCommand, command } from '../../terminal/command.ts';
import { wholeList } from '../../terminal/list-command.ts';
import { anyAddress, labelOption, networkName, userArgument } from '../../terminal/parse/field-options.ts';
import { argument, id, oneOf, option, picked, plainText, required, switchOn } from '../../terminal/parse/parameters.ts';
import { change } from '../../terminal/terminal.ts';

const address = picked(
  'external wallet',
  argument('external-wallet', 'address of a registered wallet, from wallets external list', id, 'Which wallet?'),
);

/** The account's external wallets in a table. */
const EXTERNAL_COLUMNS = [
  { field: 'address', title: 'Address' },
  { field: 'blockchain', title: 'Network' },
  { field: 'type', title: 'Type' },
  { field: 'status', title: 'Status' },
  { field: 'isDefault', title: 'Default' },
  { field: 'label', title: 'Label' },
] as const;

const listCommand = wholeList(
  command({
    words: ['wallets', 'external', 'list'],
    summary: 'List the external wallets of the account',
    examples: ['fiatrail wallets external list', 'fiatrail wallets external list --search vault -o csv'],
    endpoints: [getFintechWallet.id],
    isView: true,
    prints: { response: getFintechWallet, lists: 'externalWallets' },
    parameters: {},
    run: async (account) => {
      const columns = EXTERNAL_COLUMNS;
      const { result } = outcomeOf(account, getFintechWallet, await account.call(getFintechWallet, {}), { columns });
      return result ? { result: { ...result, lists: 'externalWallets', list: { isWhole: true } } } : {};
    },
  }),
  {
    names: { called: 'label, purpose or address', fields: ['label', 'purpose', 'address'] },
    time: 'addedAt',
    statuses: ['active', 'inactive'],
  },
);

/** Reads an external wallet of the account, and the wallet that its deposits go to. */
async function externalWallet(account: Account, address: string) {
  const { externalWallets, smartWallet } = (await account.call(getFintechWallet, {}, PREVIEW_READ)).data;
  const found = externalWallets?.find((each) => each.address?.toLowerCase() === address.toLowerCase());
  const chosen = externalWallets?.find(({ isDefault }) => isDefault);
  return { status: found?.status ?? undefined, defaultAddress: chosen?.address ?? smartWallet.address };
}

const addCommand = callCommand(addExternalWallet, {
  words: ['wallets', 'external', 'add'],
  summary: 'Register an external wallet for transfers',
  examples: [
    'fiatrail wallets external add 0x52908400098527886E0F7030069857D2E4169EE7 --network base --wallet-type cold --label vault',
    'fiatrail wallets external add 0x52908400098527886E0F7030069857D2E4169EE7 --network bsc --wallet-type custodial --custodian "Acme Custody" --yes -o json',
  ],
  parameters: {
    address: argument('address', 'address of the wallet on the network', anyAddress, 'Address:'),
    network: required('--network <network>', 'network, such as base, eth, bsc or sol', networkName, 'Which network?'),
    type: option(
      '--wallet-type <type>',
      'wallet type: hot, cold, custodial or other (default other)',
      oneOf('hot', 'cold', 'custodial', 'other'),
    ),
    label: labelOption,
    purpose: option('--purpose <text>', 'purpose of the wallet', plainText),
    isDefault: switchOn('--default', 'make this the default wallet, which receives the account’s deposits'),
    custodian: option('--custodian <name>', 'name of the custodian', plainText),
    location: option('--location <text>', 'location of the wallet', plainText),
    backupExists: option('--backup-exists <yes|no>', 'whether a backup of its keys exists', oneOf('yes', 'no')),
  },
  fields: {
    blockchain: 'network',
    'metadata.custodian': 'custodian',
    'metadata.location': 'location',
    'metadata.backupExists': 'backupExists',
  },
  request: ({ address, network, type, label, purpose, isDefault, custodian, location, backupExists }) => {
    const metadata = { custodian, location, backupExists: backupExists && backupExists === 'yes' };
    return {
      address,
      blockchain: network.toLowerCase(),
      type: type ?? 'other',
      label,
      purpose,
      isDefault: isDefault || undefined,
      metadata: Object.values(metadata).some((value) => value !== undefined) ? metadata : undefined,
    };
  },
  confirms: ({ address, blockchain, label, isDefault }, account) => ({
    summary: `allow transfers to ${address} on ${blockchain}`,
    lines: [
      ['destination', `${address} on ${blockchain}`],
      ...(label === undefined ? [] : [['label', label] as const]),
    ],
    replaces: isDefault
      ? [
          {
            label: 'default wallet',
            next: address,
            read: async () => ({ now: (await externalWallet(account, address)).defaultAddress }),
          },
        ]
      : [],
  }),
});

const enableCommand = callCommand(setExternalWalletStatus, {
  words: ['wallets', 'external', 'enable'],
  summary: 'Enable transfers to an external wallet',
  examples: [
    'fiatrail wallets external enable 0x52908400098527886E0F7030069857D2E4169EE7',
    'fiatrail wallets external enable 0x52908400098527886E0F7030069857D2E4169EE7 --yes -o json --query status',
  ],
  parameters: { address },
  request: ({ address }) => ({ address, status: 'active' as const }),
  confirms: ({ address }, account) => ({
    summary: `allow transfers to ${address}`,
    lines: [['destination', address]],
    replaces: [
      {
        label: 'status',
        next: 'active',
        read: async () => ({ now: (await externalWallet(account, address)).status }),
      },
    ],
    previews: () => readPreviews(() => externalWalletLines(account, address)),
  }),
});

const disableCommand = callCommand(setExternalWalletStatus, {
  words: ['wallets', 'external', 'disable'],
  summary: 'Disable transfers to an external wallet',
  examples: [
    'fiatrail wallets external disable 0x52908400098527886E0F7030069857D2E4169EE7',
    'fiatrail wallets external disable 0x52908400098527886E0F7030069857D2E4169EE7 -o json --query status',
  ],
  parameters: { address },
  request: ({ address }) => ({ address, status: 'inactive' as const }),
  confirms: ({ address }) => ({ summary: `stop transfers to ${address}`, lines: [['address', address]] }),
});

const removeCommand = command({
  words: ['wallets', 'external', 'remove'],
  summary: 'Remove an external wallet',
  details:
    'The wallet can no longer receive transfers; tokens in it stay there. To stop transfers temporarily, use: fiatrail wallets external disable',
  examples: [
    'fiatrail wallets external remove 0x52908400098527886E0F7030069857D2E4169EE7',
    'fiatrail wallets external remove 0x52908400098527886E0F7030069857D2E4169EE7 --yes -o json',
  ],
  endpoints: [removeExternalWallet.id, getFintechWallet.id],
  prints: { response: removeExternalWallet },
  parameters: { address },
  run: async (account, terminal, { address }) => {
    const removal = {
      summary: `remove external wallet ${address}`,
      lines: [['address', address] as const],
      previews: () => readPreviews(() => externalWalletLines(account, address)),
    };
    const reply = await change(account, terminal, removeExternalWallet, { address }, removal);
    return outcomeOf(account, removeExternalWallet, reply);
  },
});

const externalCommands = [listCommand, addCommand, enableCommand, disableCommand, removeCommand];

const SHOWN = [
  { field: 'fintechName', title: 'Account' },
  { field: 'smartWallet.address', title: 'Account wallet' },
  { field: 'smartWallet.deployed', title: 'Deployed' },
  { field: 'totalUsers', title: 'Users' },
  { field: 'externalWallets', title: 'External wallets', columns: EXTERNAL_COLUMNS },
] as const;

const showCommand = callCommand(getFintechWallet, {
  words: ['wallets', 'show'],
  summary: 'Show the account wallet and external wallets',
  examples: ['fiatrail wallets show', 'fiatrail wallets show -o json --query smartWallet.address'],
  parameters: {},
  request: () => ({}),
  columns: SHOWN,
});

const COLUMNS = [
  { field: 'walletAddress', title: 'Wallet' },
  { field: 'blockchain', title: 'Network' },
  { field: 'status', title: 'Status' },
  { field: 'balances.CNGN.balance', title: 'cNGN', align: 'right' },
  { field: 'balances.USDC.balance', title: 'USDC', align: 'right' },
  { field: 'balances.USDT.balance', title: 'USDT', align: 'right' },
] as const;

const userCommand = wholeList(
  callCommand(listUserWallets, {
    words: ['wallets', 'list'],
    summary: 'List a user’s wallets and their balances',
    examples: ['fiatrail wallets list USER_ID', 'fiatrail wallets list USER_ID -o csv'],
    parameters: { userId: userArgument('user') },
    request: ({ userId }) => ({ userId }),
    columns: COLUMNS,
  }),
  { time: 'createdAt', statuses: ['smart_wallet', 'multi_chain'] },
);

const DEPOSIT_ACCOUNT = [
  { field: 'accountNumber', title: 'Number' },
  { field: 'accountName', title: 'Name' },
  { field: 'bankName', title: 'Bank' },
  { field: 'status', title: 'Status' },
  { field: 'createdAt', title: 'Created' },
] as const;

const depositAccountCommand = callCommand(getFintechAccount, {
  words: ['wallets', 'deposit-account'],
  summary: 'Show the bank account that funds the account’s default wallet',
  details:
    'Naira paid into it becomes cNGN in the default wallet. It never expires and accepts any amount from any sender.',
  examples: ['fiatrail wallets deposit-account', 'fiatrail wallets deposit-account -o json --query accountNumber'],
  parameters: {},
  request: () => ({}),
  columns: DEPOSIT_ACCOUNT,
});

const AUTO_SIGNING = [
  { field: 'enabled', title: 'Auto-signing' },
  { field: 'thresholdAmount', title: 'Threshold' },
  { field: 'currency', title: 'Token' },
  { field: 'maxDailyAmount', title: 'Daily maximum' },
  { field: 'restrictToFintech', title: 'Own wallets only' },
] as const;

const autoSigningCommand = callCommand(autoSigningConfig, {
  words: ['wallets', 'auto-signing', 'show'],
  summary: 'Show the limit up to which the account’s own cNGN is signed automatically',
  details:
    'Larger amounts need a manual signature. Trades have a threshold of their own: fiatrail fx auto-signing show',
  examples: [
    'fiatrail wallets auto-signing show',
    'fiatrail wallets auto-signing show -o json --query thresholdAmount.value',
  ],
  parameters: {},
  request: () => ({}),
  columns: AUTO_SIGNING,
});

export const commands = [showCommand, userCommand, depositAccountCommand, autoSigningCommand, ...externalCommands];
