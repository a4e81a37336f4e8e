import { onrampStatus, startOnramp } from '../contract/transactions.ts';
import { getVirtualAccount } from '../contract/virtual-accounts.ts';
import { CliError } from '../exit.ts';
import { type Amount, amountForPeople, amount as amountIn } from '../money/amount.ts';
import { cngnBaseFromKobo } from '../money/rates.ts';
import { toWireNumber } from '../money/units.ts';
import { evmAddress } from './addresses.ts';
import { command } from './command.ts';
import { amountLine, balanceLine, feesOn, type Line, look, userBalance } from './look.ts';
import { amountHelp, amountOf, argument, id, oneOf, option, required, switchOn } from './parameters.ts';
import { outcomeOf, type Session } from './session.ts';
import { follow, waitOption } from './wait.ts';

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

type Swap = 'USDC' | 'USDT' | 'off' | undefined;

interface Route {
  readonly autoSwap: Swap;
  readonly sweep: boolean | undefined;
  readonly destination: string | undefined;
}

/** Where the money ends, and as what. */
function routeForPeople({ autoSwap, sweep, destination }: Route): string {
  const where = sweep ? "the user's default wallet" : (destination ?? 'a new wallet of the user');
  if (autoSwap === undefined) return `${where}, as cNGN or the user's onramp asset`;
  return autoSwap === 'off' ? `${where}, as cNGN` : `${where}, swapped into ${autoSwap}`;
}

/** The fees and what is paid in all; the balance, and what it will be where the cNGN stays with the user. */
function lookAhead(session: Session, userId: string, amount: Amount, { autoSwap, sweep }: Route) {
  return look(
    async () => {
      const { lines, total } = await feesOn(session, 'onramp', amount);
      const sum: Line[] = total ? [['to pay', amountForPeople(amountIn('NGN', amount.minor + total.minor))]] : [];
      return [...lines, ...sum];
    },
    async () => {
      const before = await userBalance(session, userId, 'CNGN');
      const isKept = !sweep && (autoSwap === undefined || autoSwap === 'off');
      return before ? [balanceLine(before, isKept ? cngnBaseFromKobo(amount.minor) : undefined)] : [];
    },
  );
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
    autoSwap: option(
      '--auto-swap <asset>',
      "swap the cNGN into USDC or USDT, or off (default: the user's onramp asset)",
      oneOf('USDC', 'USDT', 'off'),
    ),
    destination: option(
      '--destination <address>',
      'where the swapped asset goes (with --auto-swap, without --sweep)',
      evmAddress,
    ),
    owner: option(
      '--owner <address>',
      'EVM account that will own the wallet; the service can then not withdraw from it',
      evmAddress,
    ),
    wait: waitOption('until the payment has come and the cNGN is there'),
  },
  run: async (session, { userId, amount, sweep, autoSwap, destination, owner, wait }) => {
    const isSwapped = autoSwap !== undefined && autoSwap !== 'off';
    if (destination && (!isSwapped || sweep)) {
      throw new CliError('usage', '--destination needs --auto-swap and goes without --sweep', {
        hint: 'leave --destination out, or change the other two',
      });
    }
    const request = {
      userId,
      amount: toWireNumber(amount, 'naira'),
      assetSwap: isSwapped ? autoSwap : undefined,
      autoSwap: autoSwap === undefined ? undefined : isSwapped,
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
          amountLine(amount, 'naira', 'fees are added on top'),
          ['destination', routeForPeople({ autoSwap, sweep, destination })],
          ...(owner === undefined ? [] : [['owner', `${owner}: the service cannot withdraw from it`] as const]),
        ],
        look: () => lookAhead(session, userId, amount, { autoSwap, sweep, destination }),
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
