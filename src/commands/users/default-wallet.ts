import { command } from '../../cli/command.ts';
import { argument, id, option, required, word } from '../../cli/parameters.ts';
import { PREVIEW_READ, readPreviews } from '../../cli/previews.ts';
import { outcomeOf } from '../../cli/session.ts';
import { getDefaultWallet, removeDefaultWallet, setDefaultWallet } from '../../contract/endpoints/default-wallets.ts';

const userId = argument('user-id', 'as printed by users list', id, 'User id:');

const showCommand = command({
  words: ['users', 'default-wallet', 'show'],
  summary: "Show the external wallet that a user's cNGN is delivered to",
  examples: [
    'fiatrail users default-wallet show 4f1c…',
    'fiatrail users default-wallet show 4f1c… -o json --query defaultWallet.address',
  ],
  endpoints: [getDefaultWallet.id],
  parameters: { userId },
  run: async (session, { userId }) => {
    const reply = await session.call(getDefaultWallet, { userId });
    if (reply.data.defaultWallet === null) await session.note("none is set: cNGN goes to the user's managed wallet");
    return outcomeOf(session, getDefaultWallet, reply);
  },
});

const setCommand = command({
  words: ['users', 'default-wallet', 'set'],
  summary: "Deliver a user's cNGN to an external wallet",
  details:
    'It receives deposits into the permanent account, onramps, and sweeps. Swaps and offramps go on using the managed wallet. It replaces the one set before.',
  examples: [
    'fiatrail users default-wallet set 4f1c… --address 0x52908400098527886E0F7030069857D2E4169EE7 --network base',
    'fiatrail users default-wallet set 4f1c… --address 0x52908400098527886E0F7030069857D2E4169EE7 --network bsc --label "cold wallet" -o json',
  ],
  endpoints: [setDefaultWallet.id],
  parameters: {
    userId,
    address: required('--address <address>', 'the wallet, an address of the network', id, 'Address:'),
    network: required('--network <network>', 'such as base, eth, bsc or sol', id, 'Network:'),
    label: option('--label <text>', 'a name of your own for it', word),
  },
  run: async (session, { userId, address, network, label }) => {
    const request = { userId, address, blockchain: network.toLowerCase(), label };
    return outcomeOf(session, setDefaultWallet, await session.call(setDefaultWallet, request));
  },
});

const removeCommand = command({
  words: ['users', 'default-wallet', 'remove'],
  summary: "Deliver a user's cNGN to their managed wallet again",
  details: 'What was delivered already stays where it is.',
  examples: [
    'fiatrail users default-wallet remove 4f1c…',
    'fiatrail users default-wallet remove 4f1c… --yes -o json --query note',
  ],
  endpoints: [removeDefaultWallet.id, getDefaultWallet.id],
  parameters: { userId },
  run: async (session, { userId }) => {
    const reply = await session.change(
      removeDefaultWallet,
      { userId },
      {
        summary: `removal of the default wallet of user ${userId}`,
        lines: [
          ['user', userId],
          ['from then on', 'cNGN goes to the managed wallet of the user'],
        ],
        previews: () =>
          readPreviews(async () => {
            const { defaultWallet } = (await session.call(getDefaultWallet, { userId }, PREVIEW_READ)).data;
            return [['wallet now', defaultWallet ? `${defaultWallet.address} (${defaultWallet.blockchain})` : 'none']];
          }),
      },
    );
    return outcomeOf(session, removeDefaultWallet, reply);
  },
});

export const defaultWalletCommands = [showCommand, setCommand, removeCommand];
