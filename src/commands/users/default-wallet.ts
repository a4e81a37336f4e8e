import { getDefaultWallet, removeDefaultWallet, setDefaultWallet } from '../../contract/endpoints/default-wallets.ts';
import { userLines } from '../../engine/names.ts';
import { outcomeOf } from '../../engine/outcome.ts';
import type { ShownLine } from '../../engine/plans/line.ts';
import { PREVIEW_READ, readPreviews } from '../../engine/previews.ts';
import { callCommand, command } from '../../terminal/command.ts';
import { anyAddress, networkName, userArgument } from '../../terminal/parse/field-options.ts';
import { option, plainText, required } from '../../terminal/parse/parameters.ts';
import type { Session } from '../../terminal/session.ts';

const userId = userArgument('user');

async function currentWalletLines(session: Session, userId: string): Promise<readonly ShownLine[]> {
  const { defaultWallet } = (await session.call(getDefaultWallet, { userId }, PREVIEW_READ)).data;
  return [['current wallet', defaultWallet ? `${defaultWallet.address} (${defaultWallet.blockchain})` : 'none']];
}

const showCommand = command({
  words: ['users', 'default-wallet', 'show'],
  summary: 'Show a user’s default wallet',
  examples: [
    'fiatrail users default-wallet show 4f1c…',
    'fiatrail users default-wallet show 4f1c… -o json --query defaultWallet.address',
  ],
  endpoints: [getDefaultWallet.id],
  prints: { response: getDefaultWallet },
  parameters: { userId },
  run: async (session, { userId }) => {
    const reply = await session.call(getDefaultWallet, { userId });
    if (reply.data.defaultWallet === null)
      await session.note('no default wallet is set; cNGN goes to the user’s managed wallet');
    return outcomeOf(session, getDefaultWallet, reply);
  },
});

const setCommand = callCommand(setDefaultWallet, {
  words: ['users', 'default-wallet', 'set'],
  summary: 'Set the external wallet that receives a user’s cNGN',
  details:
    'The default wallet receives permanent-account deposits, onramps and sweeps. Swaps and offramps still use the managed wallet. Replaces the current default wallet.',
  examples: [
    'fiatrail users default-wallet set 4f1c… --address 0x52908400098527886E0F7030069857D2E4169EE7 --network base',
    'fiatrail users default-wallet set 4f1c… --address 0x52908400098527886E0F7030069857D2E4169EE7 --network bsc --label "cold wallet" --yes -o json',
  ],
  parameters: {
    userId,
    address: required('--address <address>', 'address of the wallet on the network', anyAddress, 'Address:'),
    network: required('--network <network>', 'network, such as base, eth, bsc or sol', networkName, 'Which network?'),
    label: option('--label <text>', 'label for the wallet', plainText),
  },
  fields: { blockchain: 'network' },
  request: ({ userId, address, network, label }) => ({
    ...{ userId, address, blockchain: network.toLowerCase(), label },
  }),
  confirms: ({ userId, address, blockchain }, session) => ({
    summary: `send the cNGN of user ${userId} to ${address} on ${blockchain} from now on`,
    lines: [
      ['user', userId],
      ['destination', `${address} on ${blockchain}`],
    ],
    previews: () =>
      readPreviews(
        () => userLines(session, userId),
        () => currentWalletLines(session, userId),
      ),
  }),
});

const removeCommand = command({
  words: ['users', 'default-wallet', 'remove'],
  summary: 'Remove a user’s default wallet',
  details: 'The user’s cNGN goes to the managed wallet again. Tokens already delivered stay where they are.',
  examples: [
    'fiatrail users default-wallet remove 4f1c…',
    'fiatrail users default-wallet remove 4f1c… --yes -o json --query note',
  ],
  endpoints: [removeDefaultWallet.id, getDefaultWallet.id],
  prints: { response: removeDefaultWallet },
  parameters: { userId },
  run: async (session, { userId }) => {
    const reply = await session.change(
      removeDefaultWallet,
      { userId },
      {
        summary: `remove the default wallet of user ${userId}`,
        lines: [
          ['user', userId],
          ['afterwards', 'cNGN goes to the user’s managed wallet'],
        ],
        previews: () =>
          readPreviews(
            () => userLines(session, userId),
            () => currentWalletLines(session, userId),
          ),
      },
    );
    return outcomeOf(session, removeDefaultWallet, reply);
  },
});

export const defaultWalletCommands = [showCommand, setCommand, removeCommand];
