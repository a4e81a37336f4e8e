import { advice } from '../../base/advice.ts';
import { CliError } from '../../base/errors.ts';
import type { Choice } from '../../base/world.ts';
import type { ResponseOf } from '../../contract/endpoint.ts';
import { type onrampStatus, startOnramp } from '../../contract/endpoints/onramp.ts';
import { getVirtualAccount } from '../../contract/endpoints/virtual-accounts.ts';
import type { Account } from '../../engine/account.ts';
import { type Following, interruptedWait } from '../../engine/evidence/follow.ts';
import { onramp } from '../../engine/evidence/onramps.ts';
import { followWork, printedWork, startedOutcome } from '../../engine/evidence/started.ts';
import { columnsOf } from '../../engine/lists/listing-of.ts';
import type { Outcome } from '../../engine/outcome.ts';
import type { ShownLine } from '../../engine/plans/line.ts';
import { balanceLine, userBalance } from '../../engine/previews/balances.ts';
import { feePreview } from '../../engine/previews/fees.ts';
import { userLines } from '../../engine/previews/names.ts';
import { amountLine, PREVIEW_READ, readPreviews } from '../../engine/previews/previews.ts';
import {
  type Amount,
  amountForPeople,
  amount as amountIn,
  amountText,
  fromWire,
  minorForPeople,
  toWireNumber,
} from '../../money/amount.ts';
import { trimDecimal } from '../../money/decimal.ts';
import { cngnBaseFromKobo } from '../../money/rates.ts';
import { timeText } from '../../present/times.ts';
import { cut, widthOf } from '../../present/width.ts';
import { printLines } from '../../terminal/ask/confirm.ts';
import { askFor, showEquivalentCommand } from '../../terminal/ask/input.ts';
import { pickUser } from '../../terminal/ask/pick/users.ts';
import { callCommand, type Guided } from '../../terminal/command.ts';
import { thingListCommand } from '../../terminal/list-command.ts';
import { evmAddress, userArgument, waitWords } from '../../terminal/parse/field-options.ts';
import {
  amountHelp,
  amountOf,
  argument,
  id,
  oneOf,
  option,
  picked,
  required,
  switchOn,
} from '../../terminal/parse/parameters.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { change } from '../../terminal/terminal.ts';
import { startCommand, statusCommand } from '../../terminal/work-commands.ts';
import { deposits, userDeposit } from '../../things/deposits.ts';
import { isAccountClosed, waitsForPayment } from '../../things/onramp.ts';

const MINUTE_MS = 60_000;

/** The 30 minutes in which the account can be paid, plus time to process the payment. */
const PAYMENT_WAIT_MS = 40 * MINUTE_MS;

type Shows = Following<typeof onrampStatus>['shows'];

/** Shows the account to pay for an onramp that was just started, and waits for the payment. */
async function awaitPayment(account: Account, terminal: Terminal, own: Outcome, waitMs: number): Promise<Outcome> {
  const requestId = account.activity.changed?.requestId;
  if (requestId === undefined) return own;
  const { world } = account;
  // The account opens after the reply, so it expires slightly later than this counts.
  const sinceMs = world.clock.now();
  const toPay = await accountToPay(account, requestId);
  if (toPay) await sayWhatToPay(account, terminal, toPay);
  const shown = toPay && { shows: countdown(account, toPay, sinceMs) };
  const ended = await followWork(account, onramp, requestId, waitMs, shown);
  return startedOutcome(account, printedWork(onramp, startOnramp), own, ended);
}

/** Says what to pay, also with --quiet: without it, nobody can pay. */
async function sayWhatToPay(account: Account, terminal: Terminal, toPay: AccountToPay): Promise<void> {
  const { expiresAt } = toPay;
  const until = expiresAt && (timeText(expiresAt, { zone: terminal.globals.zone }) ?? expiresAt);
  await printLines(account.world, account.notices.say, [
    ['pay exactly', totalOf(toPay)],
    ['account number', toPay.accountNumber],
    ['bank', toPay.bankName],
    ['account name', toPay.accountName],
    ...(until === undefined ? [] : [['until', until] as const]),
  ]);
}

/** While nothing was paid, says how to see what to pay: the amounts in a status exclude fees, and only the exact total is accepted. */
async function sayWhereToPay(account: Account, _terminal: Terminal, { result }: Outcome): Promise<void> {
  const data = (result?.data ?? {}) as Partial<ResponseOf<typeof onrampStatus>>;
  const { requestId } = data;
  if (requestId === undefined || !waitsForPayment(data) || isAccountClosed(data)) return;
  await account.notices.note(`these amounts exclude fees; show what to pay with: fiatrail onramp account ${requestId}`);
}

type AccountToPay = ResponseOf<typeof getVirtualAccount>['virtualAccount'] & { readonly expiresAt: string | undefined };

/** Polling of the account: about 30 seconds in total, within the rate limit. */
const FIRST_PAUSE_MS = 150;

const PAUSE_GROWTH = 2;

const MAX_READS = 8;

/** Waits until the service has opened the account. If it cannot be read, says so and returns undefined; the onramp continues. */
async function accountToPay(account: Account, requestId: string): Promise<AccountToPay | undefined> {
  const { clock, interrupted } = account.world;
  const leave = () =>
    interruptedWait(
      account,
      { again: advice`[fiatrail onramp status ${requestId} --wait]` },
      'before the account could be shown',
    );
  let pauseMs = FIRST_PAUSE_MS;
  for (let read = 1; ; read++, pauseMs *= PAUSE_GROWTH) {
    try {
      const { data } = await account.call(getVirtualAccount, { requestId }, PREVIEW_READ);
      return { ...data.virtualAccount, expiresAt: data.expiresAt ?? undefined };
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      if (error.category === 'interrupted') throw leave();
      if (error.httpStatus !== 404 || read === MAX_READS) {
        const again = `fiatrail onramp account ${requestId}`;
        await account.notices.say(`the account to pay could not be read: ${error.message}; show it with: ${again}`);
        return undefined;
      }
    }
    await clock.sleep(pauseMs, interrupted).catch(() => {
      throw leave();
    });
  }
}

function totalOf({ totalAmountWithFee }: AccountToPay): string {
  const total = fromWire(totalAmountWithFee, 'naira', 'NGN');
  return total ? amountForPeople(total) : 'the total shown by the service';
}

/**
 * Returns the progress text: `pay ₦5,100.00 to 7549681956 (Harmattan Pay…) within 29:43` until the payment arrives. The
 * service's clock may differ from ours, so the account's lifetime is counted down; per minute if each text is a new line.
 */
function countdown(account: Account, toPay: AccountToPay, sinceMs: number): NonNullable<Shows> {
  const { clock, stderr } = account.world;
  const spanMs = Date.parse(toPay.expiresAt ?? '') - Date.parse(toPay.createdAt ?? '');
  const within = (isLive: boolean) => {
    if (Number.isNaN(spanMs)) return '';
    const leftMs = Math.max(0, sinceMs + spanMs - clock.now());
    if (!isLive) return ` within ${Math.ceil(leftMs / MINUTE_MS)} min`;
    const seconds = Math.floor(leftMs / 1000);
    return ` within ${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
  };
  return (state, isLive) => {
    if (!waitsForPayment({ status: state })) return undefined;
    const [before, after] = [`pay ${totalOf(toPay)} to ${toPay.accountNumber} (`, `)${within(isLive)}`];
    const width = (stderr.columns ?? 80) - widthOf(before + after) - 1;
    return `${before}${isLive ? cut(toPay.accountName, width) : toPay.accountName}${after}`;
  };
}

type Swap = 'USDC' | 'USDT' | 'off' | undefined;

/** The destination of the cNGN, as given by the options. */
interface OnrampRoute {
  readonly autoSwap?: Swap;
  readonly sweep?: boolean | undefined;
  readonly destination?: string | undefined;
}

function isSwapped({ autoSwap }: OnrampRoute): boolean {
  return autoSwap !== undefined && autoSwap !== 'off';
}

/** Throws CliError usage if the options conflict. */
function requireRoute(route: OnrampRoute): void {
  if (!route.destination || (isSwapped(route) && !route.sweep)) return;
  throw new CliError('usage', '--destination requires --auto-swap and cannot be combined with --sweep', {
    hint: 'add --auto-swap and omit --sweep, or omit --destination',
  });
}

/** Describes where the money ends up, and in which asset. */
function routeForPeople({ autoSwap, sweep, destination }: OnrampRoute): string {
  const where = sweep ? 'the user’s default wallet' : (destination ?? 'a new wallet of the user');
  if (autoSwap === undefined) return `${where}, as cNGN or the user’s onramp asset`;
  return autoSwap === 'off' ? `${where}, as cNGN` : `${where}, swapped into ${autoSwap}`;
}

/** The four combinations of autoSwap and sweepToOfframp. Source: interface (auto-swap and sweep on /cngnonramp). */
const ROUTES: readonly Choice<{ readonly isSwapped: boolean; readonly sweep: true | undefined }>[] = [
  { name: 'Keep the cNGN in a new wallet of the user', value: { isSwapped: false, sweep: undefined } },
  { name: 'Send the cNGN to the user’s default wallet', value: { isSwapped: false, sweep: true } },
  {
    name: 'Swap the cNGN into USDC or USDT and keep it in the new wallet',
    value: { isSwapped: true, sweep: undefined },
  },
  {
    name: 'Swap the cNGN into USDC or USDT and send it to the default wallet',
    value: { isSwapped: true, sweep: true },
  },
];

const ASSETS: readonly Choice<'USDC' | 'USDT'>[] = [
  { name: 'USDC', value: 'USDC' },
  { name: 'USDT', value: 'USDT' },
];

/** Whether an address for the swapped asset is given, but not the asset. */
const lacksAsset = ({ destination, autoSwap }: OnrampRoute) => destination !== undefined && autoSwap === undefined;

/** Throws CliError usage if the options conflict, whatever the prompts will add. */
function requirePossible(given: OnrampRoute): void {
  requireRoute(lacksAsset(given) ? { ...given, autoSwap: 'USDC' } : given);
}

/** Prompts for the destination of the cNGN, unless the options already set it. */
async function askRoute(account: Account, given: OnrampRoute): Promise<OnrampRoute> {
  const prompter = await account.world.prompter();
  const askAsset = () => prompter.select('Which asset?', ASSETS);
  if (lacksAsset(given)) return { autoSwap: await askAsset() };
  if (given.sweep !== undefined || given.autoSwap !== undefined) return {};
  const { isSwapped, sweep } = await prompter.select('Where should the cNGN go?', ROUTES);
  return { sweep, autoSwap: isSwapped ? await askAsset() : 'off' };
}

const ONRAMP_AMOUNT = required('--amount <naira>', amountHelp('NGN'), amountOf('NGN'), 'Amount in Naira:');

interface GivenOnramp extends OnrampRoute {
  readonly userId?: string | undefined;
  readonly amount?: Amount | undefined;
  readonly owner?: string | undefined;
  readonly wait?: number | undefined;
}

/** Prompts for the user, the amount and the destination of the cNGN, then shows the account to pay until it is paid. */
async function onrampGuide(
  account: Account,
  terminal: Terminal,
  given: GivenOnramp,
): Promise<Guided<GivenOnramp> | undefined> {
  if (given.userId !== undefined && given.amount !== undefined) return undefined;
  requirePossible(given);
  const userId = given.userId ?? (await pickUser(account, 'Which user?'));
  const amount = given.amount ?? (await askFor(ONRAMP_AMOUNT, account));
  await account.notices.say(`  ${amountForPeople(amount)} (${minorForPeople(amount)}), plus fees`);
  const route = await askRoute(account, given);
  const waitMs = given.wait ?? PAYMENT_WAIT_MS;
  return {
    // The person must see the account before waiting for the payment, so `after` waits instead.
    values: { userId, amount, ...route, wait: undefined },
    after: (own) => awaitPayment(account, terminal, own, waitMs),
    end: () =>
      showEquivalentCommand(account, terminal, commandWords({ ...given, userId, amount, ...route, wait: waitMs })),
  };
}

/** The equivalent command line. */
function commandWords({ userId = '', amount, sweep, autoSwap, destination, owner, wait = 0 }: GivenOnramp): string[] {
  const options = [
    ['--amount', amount && trimDecimal(amountText(amount))],
    ['--auto-swap', autoSwap],
    ['--destination', destination],
    ['--owner', owner],
  ] as const;
  return [
    'onramp',
    'create',
    userId,
    ...options.flatMap(([name, value]) => (value === undefined ? [] : [name, value])),
    ...waitWords(wait),
    ...(sweep ? ['--sweep'] : []),
  ];
}

/** Previews the fees, the total to pay and the balance, also afterwards if the cNGN stays in the user's wallet. */
function lookAhead(account: Account, userId: string, amount: Amount, route: OnrampRoute) {
  return readPreviews(
    () => userLines(account, userId),
    async () => {
      const { lines, total } = await feePreview(account, 'onramp', amount);
      const sum: ShownLine[] = total ? [['to pay', amountForPeople(amountIn('NGN', amount.minor + total.minor))]] : [];
      return [...lines, ...sum];
    },
    async () => {
      const before = await userBalance(account, userId, 'CNGN');
      const staysCngn = !route.sweep && !isSwapped(route);
      return before ? [balanceLine(before, staysCngn ? cngnBaseFromKobo(amount.minor) : undefined)] : [];
    },
  );
}

const start = startCommand(onramp, startOnramp, {
  words: ['onramp', 'create'],
  money: 'unguarded',
  summary: 'Start an onramp',
  details:
    'Opens a one-time bank account that converts Naira to cNGN. The amount is what the wallet receives; fees are added on top. The account accepts the exact total within 30 minutes. On a terminal, without a user or an amount, the command prompts for each value and shows the account until it is paid.',
  examples: [
    'fiatrail onramp create USER_ID --amount 5000',
    'fiatrail onramp create USER_ID --amount ₦5,000.50 --sweep --yes -o json',
  ],
  calls: [getVirtualAccount.id],
  parameters: {
    userId: userArgument('active user', 'user whose wallet receives the cNGN'),
    amount: ONRAMP_AMOUNT,
    sweep: switchOn('--sweep', 'forward the cNGN to the user’s default wallet'),
    autoSwap: option(
      '--auto-swap <asset>',
      'asset to swap the cNGN into: USDC, USDT or off (default: the user’s onramp asset)',
      oneOf('USDC', 'USDT', 'off'),
    ),
    destination: option(
      '--destination <address>',
      'address that receives the swapped asset (requires --auto-swap, excludes --sweep)',
      evmAddress,
    ),
    owner: option(
      '--owner <address>',
      'EVM account that will own the wallet; the service cannot withdraw from it',
      evmAddress,
    ),
  },
  fields: { assetSwap: 'autoSwap', sweepToOfframp: 'sweep', destinationAssetSwap: 'destination' },
  guide: onrampGuide,
  send: async (account, terminal, { userId, amount, sweep, autoSwap, destination, owner }, options) => {
    const route = { autoSwap, sweep, destination };
    requireRoute(route);
    const request = {
      userId,
      amount: toWireNumber(amount, 'naira'),
      assetSwap: autoSwap === 'off' ? undefined : autoSwap,
      autoSwap: autoSwap === undefined ? undefined : isSwapped(route),
      sweepToOfframp: sweep || undefined,
      destinationAssetSwap: destination,
      owner,
    };
    return change(
      account,
      terminal,
      startOnramp,
      request,
      {
        summary: `start an onramp of ${amountForPeople(amount)} for user ${userId}`,
        lines: [
          ['user', userId],
          amountLine(amount, 'naira', 'fees are added on top'),
          ['destination', routeForPeople(route)],
          ...(owner === undefined ? [] : [['owner', `${owner}: the service cannot withdraw from it`] as const]),
        ],
        previews: () => lookAhead(account, userId, amount, route),
      },
      options,
    );
  },
  begun: async (account, terminal, { wait }, { requestId }) => {
    const toPay = await accountToPay(account, requestId);
    if (toPay && wait !== undefined) await sayWhatToPay(account, terminal, toPay);
    return toPay;
  },
});

const account = callCommand(getVirtualAccount, {
  words: ['onramp', 'account'],
  summary: 'Show the bank account to pay for an onramp',
  examples: [
    'fiatrail onramp account REQUEST_ID',
    'fiatrail onramp account REQUEST_ID -o json --query totalAmountWithFee.value',
  ],
  parameters: {
    requestId: picked('request', argument('request-id', 'request id, from onramp create', id, 'Which request?')),
  },
  request: (input) => input,
});

const status = statusCommand(onramp, {
  id: 'request id from onramp create, or the address of its wallet',
  examples: ['REQUEST_ID', 'REQUEST_ID --wait 5m -o json', '0x52908400098527886E0F7030069857D2E4169EE7'],
  missing: advice`use the request id from onramp create, or the wallet that [fiatrail onramp list] shows; a payment into a user’s own account belongs to no onramp`,
  read: sayWhereToPay,
});

const list = thingListCommand(userDeposit, {
  columns: columnsOf(
    { ...deposits, columns: ['walletAddress', ...deposits.columns.slice(1)] },
    { type: 'user_onramp' },
  ),
  details:
    'Rows have no request id; pass the wallet to: fiatrail onramp status. Unpaid onramps are not listed; fiatrail ops list shows those started on this machine.',
});

export const commands = [start, account, status, list];
