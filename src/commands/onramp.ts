import { onrampStatus, startOnramp } from '../contract/transactions.ts';
import { getVirtualAccount } from '../contract/virtual-accounts.ts';
import { CliError } from '../exit.ts';
import { amountForPeople, minorForPeople, printable } from '../money/amount.ts';
import { toWireNumber, wireForPeople } from '../money/units.ts';
import { command } from './command.ts';
import { amountHelp, amountOf, argument, id, oneOf, option, required, switchOn } from './parameters.ts';
import { outcomeOf, type Session } from './session.ts';
import { follow, waitOption } from './wait.ts';

const address = (text: string) => {
  if (/^0x[0-9a-fA-F]{40}$/.test(text)) return text;
  throw new CliError('usage', `"${printable(text)}" is no EVM address`, {
    hint: 'an EVM address is 0x and 40 hexadecimal digits',
  });
};

function followOnramp(session: Session, requestId: string, waitMs: number) {
  return follow(session, {
    endpoint: onrampStatus,
    input: { requestId },
    stateOf: ({ status }) => status,
    done: ['completed'],
    failed: ['failed'],
    what: 'the onramp',
    again: `fiatrail onramp status ${requestId} --wait`,
    waitMs,
  });
}

const startCommand = command({
  words: ['onramp', 'start'],
  summary: 'Start an onramp: opens a one-time bank account to pay Naira into',
  details:
    'The amount is what the wallet receives; fees come on top. The account takes the exact total within 30 minutes.',
  examples: [
    'fiatrail onramp start 4f1c… --amount 5000',
    'fiatrail onramp start 4f1c… --amount ₦5,000.50 --sweep --yes -o json',
  ],
  endpoints: [startOnramp.id, onrampStatus.id],
  parameters: {
    userId: argument('user-id', 'whose wallet is funded', id, 'User id:'),
    amount: required('--amount <naira>', amountHelp('NGN'), amountOf('NGN'), 'Amount in Naira:'),
    sweep: switchOn('--sweep', "send the cNGN on to the user's default wallet"),
    autoSwap: option('--auto-swap <asset>', 'swap the cNGN into USDC or USDT', oneOf('USDC', 'USDT')),
    destination: option(
      '--destination <address>',
      'where the swapped asset goes (with --auto-swap, without --sweep)',
      address,
    ),
    owner: option(
      '--owner <address>',
      'EVM account that will own the wallet; the service can then not withdraw from it',
      address,
    ),
    wait: waitOption('until the payment has come and the cNGN is there'),
  },
  run: async (session, { userId, amount, sweep, autoSwap, destination, owner, wait }) => {
    if (destination && (!autoSwap || sweep)) {
      throw new CliError('usage', '--destination needs --auto-swap and goes without --sweep', {
        hint: 'leave --destination out, or change the other two',
      });
    }
    const request = {
      userId,
      amount: toWireNumber(amount, 'naira'),
      assetSwap: autoSwap,
      autoSwap: autoSwap ? true : undefined,
      sweepToOfframp: sweep || undefined,
      destinationAssetSwap: destination,
      owner,
    };
    const reply = await session.change(
      startOnramp,
      request,
      {
        summary: `onramp of ${amountForPeople(amount)} for user ${userId}`,
        lines: [
          ['user', userId],
          [
            'amount',
            `${amountForPeople(amount)} (${minorForPeople(amount)}), sent as ${wireForPeople(amount, 'naira')}; fees are added on top`,
          ],
          ['destination', sweep ? "the user's default wallet" : (destination ?? 'a new wallet of the user')],
        ],
      },
      wait === undefined ? {} : { prints: onrampStatus },
    );
    if (wait === undefined) return outcomeOf(session, startOnramp, reply);
    await session.note(`${reply.data.message}; account details: fiatrail onramp account ${reply.data.requestId}`);
    return followOnramp(session, reply.data.requestId, wait);
  },
});

const accountCommand = command({
  words: ['onramp', 'account'],
  summary: 'Show the bank account to pay for an onramp',
  examples: [
    'fiatrail onramp account 0198c1f2-5d0e-7cc3-98a1-0a54b2f0b1de',
    'fiatrail onramp account 0198c1f2-5d0e-7cc3-98a1-0a54b2f0b1de -o json --query totalAmountWithFee.value',
  ],
  endpoints: [getVirtualAccount.id],
  parameters: { requestId: argument('request-id', 'as printed by onramp start', id) },
  run: async (session, { requestId }) =>
    outcomeOf(session, getVirtualAccount, await session.call(getVirtualAccount, { requestId })),
});

const statusCommand = command({
  words: ['onramp', 'status'],
  summary: 'Show how an onramp stands',
  examples: [
    'fiatrail onramp status 0198c1f2-5d0e-7cc3-98a1-0a54b2f0b1de',
    'fiatrail onramp status 0198c1f2-5d0e-7cc3-98a1-0a54b2f0b1de --wait 5m -o json',
  ],
  endpoints: [onrampStatus.id],
  parameters: {
    requestId: argument('request-id', 'as printed by onramp start', id),
    wait: waitOption('until it has ended'),
  },
  run: async (session, { requestId, wait }) => followOnramp(session, requestId, wait ?? 0),
});

export const commands = [startCommand, accountCommand, statusCommand];
