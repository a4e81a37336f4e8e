import { command } from '../../cli/command.ts';
import { argument, id, oneOf, option, required, switchOn, word } from '../../cli/parameters.ts';
import { outcomeOf } from '../../cli/session.ts';
import {
  addExternalWallet,
  removeExternalWallet,
  setExternalWalletStatus,
} from '../../contract/endpoints/external-wallets.ts';

const address = argument('address', 'of a registered wallet, from wallets show', id, 'Address:');

const addCommand = command({
  words: ['wallets', 'external', 'add'],
  summary: 'Register a wallet elsewhere, so that it can receive transfers',
  examples: [
    'fiatrail wallets external add 0x52908400098527886E0F7030069857D2E4169EE7 --network base --type cold --label vault',
    'fiatrail wallets external add 0x52908400098527886E0F7030069857D2E4169EE7 --network bsc --type custodial --custodian "Acme Custody" -o json',
  ],
  endpoints: [addExternalWallet.id],
  parameters: {
    address: argument('address', 'of the wallet, on that network', id, 'Address:'),
    network: required('--network <network>', 'such as base, eth or bsc', id, 'Network:'),
    type: option(
      '--type <type>',
      'how it is kept: hot, cold, custodial or other (default other)',
      oneOf('hot', 'cold', 'custodial', 'other'),
    ),
    label: option('--label <text>', 'a name of your own for it', word),
    purpose: option('--purpose <text>', 'what it is for', word),
    isDefault: switchOn('--default', 'make it the default wallet, which deposits of the account go to'),
    custodian: option('--custodian <name>', 'who keeps it', word),
    location: option('--location <text>', 'where it is kept', word),
  },
  run: async (session, { address, network, type, label, purpose, isDefault, custodian, location }) => {
    const reply = await session.call(addExternalWallet, {
      address,
      blockchain: network.toLowerCase(),
      type: type ?? 'other',
      label,
      purpose,
      isDefault: isDefault || undefined,
      metadata: custodian === undefined && location === undefined ? undefined : { custodian, location },
    });
    return outcomeOf(session, addExternalWallet, reply);
  },
});

const enableCommand = command({
  words: ['wallets', 'external', 'enable'],
  summary: 'Let an external wallet receive transfers again',
  examples: [
    'fiatrail wallets external enable 0x52908400098527886E0F7030069857D2E4169EE7',
    'fiatrail wallets external enable 0x52908400098527886E0F7030069857D2E4169EE7 -o json --query status',
  ],
  endpoints: [setExternalWalletStatus.id],
  parameters: { address },
  run: async (session, { address }) => {
    const reply = await session.call(setExternalWalletStatus, { address, status: 'active' });
    return outcomeOf(session, setExternalWalletStatus, reply);
  },
});

const disableCommand = command({
  words: ['wallets', 'external', 'disable'],
  summary: 'Stop transfers to an external wallet',
  examples: [
    'fiatrail wallets external disable 0x52908400098527886E0F7030069857D2E4169EE7',
    'fiatrail wallets external disable 0x52908400098527886E0F7030069857D2E4169EE7 -o json --query status',
  ],
  endpoints: [setExternalWalletStatus.id],
  parameters: { address },
  run: async (session, { address }) => {
    const reply = await session.call(setExternalWalletStatus, { address, status: 'inactive' });
    return outcomeOf(session, setExternalWalletStatus, reply);
  },
});

const removeCommand = command({
  words: ['wallets', 'external', 'remove'],
  summary: 'Forget an external wallet; it can receive no more transfers',
  details: 'What it holds stays there. To stop transfers for a while: fiatrail wallets external disable',
  examples: [
    'fiatrail wallets external remove 0x52908400098527886E0F7030069857D2E4169EE7',
    'fiatrail wallets external remove 0x52908400098527886E0F7030069857D2E4169EE7 --yes -o json',
  ],
  endpoints: [removeExternalWallet.id],
  parameters: { address },
  run: async (session, { address }) => {
    const change = { summary: `removal of external wallet ${address}`, lines: [['wallet', address] as const] };
    const reply = await session.change(removeExternalWallet, { address }, change);
    return outcomeOf(session, removeExternalWallet, reply);
  },
});

export const externalCommands = [addCommand, enableCommand, disableCommand, removeCommand];
