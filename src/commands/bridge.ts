import { CliError } from '../base/errors.ts';
import { bridgeNetworks, bridgeStatus, listBridges, quoteBridge, startBridge } from '../contract/endpoints/bridge.ts';
import { networkOf } from '../contract/networks.ts';
import { amountIn, wireDecimal } from '../engine/fx-terms.ts';
import { DEFAULT_LIMIT, listed } from '../engine/lists/listed.ts';
import { bridge } from '../engine/operations/bridge.ts';
import { followWork } from '../engine/operations/follow-work.ts';
import { startedOutcome, startedShape } from '../engine/operations/started.ts';
import { outcomeOf } from '../engine/outcome.ts';
import { amountLine, type Line, PREVIEW_READ, readPreviews } from '../engine/previews.ts';
import { type Amount, amountForPeople, printable } from '../money/amount.ts';
import { command } from '../terminal/command.ts';
import { requiredCngn } from '../terminal/parse/field-options.ts';
import { listOptions } from '../terminal/parse/paging.ts';
import { argument, id, oneOf, option, picked, required, ticker } from '../terminal/parse/parameters.ts';
import { periodOf, periodOptions } from '../terminal/parse/period.ts';
import { waitOption } from '../terminal/parse/wait-option.ts';
import type { Session } from '../terminal/session.ts';

/** Only cNGN can be bridged. */
const TOKEN = 'CNGN';

const network = (text: string): string => {
  if (/^[a-z0-9-]{2,20}$/i.test(text)) return text.toLowerCase();
  throw new CliError('usage', `invalid network "${printable(text)}"`, {
    hint: 'list the networks with: fiatrail bridge networks',
  });
};

const callbackUrl = (text: string): string => {
  if (URL.canParse(text) && new URL(text).protocol === 'https:' && !/\s/.test(text)) return text;
  throw new CliError('usage', `invalid URL "${printable(text)}"; expected an HTTPS URL`, {
    hint: 'for example https://host/path',
  });
};

const NETWORK_HELP = 'network such as base, from bridge networks';
const fromNetwork = required('--from-network <network>', NETWORK_HELP, network, 'From network:');
const toNetwork = required('--to-network <network>', NETWORK_HELP, network, 'To network:');

function checkRoute(from: string, to: string): void {
  if (from === to)
    throw new CliError('usage', `--from-network and --to-network are both ${from}`, {
      code: 'VALIDATION_ERROR',
      hint: 'choose two different networks',
    });
}

/** Throws CliError usage for a network that neither the contract nor the service knows. */
async function requireNetworks(session: Session, ...names: readonly string[]): Promise<void> {
  const strange = names.filter((name) => networkOf(name) === undefined);
  if (strange.length === 0) return;
  const listed = await listedNetworks(session);
  const unknown = strange.find((name) => listed && !listed.includes(name));
  if (unknown === undefined || !listed) return;
  throw new CliError('usage', `unknown network "${unknown}"; nothing was sent`, {
    code: 'VALIDATION_ERROR',
    hint: `use one of ${listed.join(', ')}`,
  });
}

/** Returns the networks of the service; undefined if they cannot be read, so that the service decides. */
async function listedNetworks(session: Session): Promise<readonly string[] | undefined> {
  try {
    const { data } = await session.call(bridgeNetworks, {}, { ...PREVIEW_READ, isBeforehand: true });
    return [...new Set([...data.tokens.flatMap(({ networks }) => networks), ...data.allSupportedNetworks])];
  } catch (error) {
    if (error instanceof CliError && error.category !== 'interrupted') return undefined;
    throw error;
  }
}

const quoteCommand = command({
  words: ['bridge', 'quote'],
  summary: 'Quote the cost of moving cNGN to another network',
  examples: [
    'fiatrail bridge quote --from-network base --to-network bsc --amount 10000',
    'fiatrail bridge quote --from-network base --to-network eth --amount 10000 -o json --query outputAmount.value',
  ],
  endpoints: [quoteBridge.id],
  prints: { response: quoteBridge },
  parameters: { fromNetwork, toNetwork, amount: requiredCngn },
  run: async (session, { fromNetwork: from, toNetwork: to, amount }) => {
    checkRoute(from, to);
    const request = { token: TOKEN, fromNetwork: from, toNetwork: to, amount: wireDecimal(amount) } as const;
    return outcomeOf(session, quoteBridge, await session.call(quoteBridge, request));
  },
});

/** Quotes the fee and the amount that arrives. */
async function costLines(session: Session, from: string, to: string, amount: Amount): Promise<readonly Line[]> {
  const request = { token: TOKEN, fromNetwork: from, toNetwork: to, amount: wireDecimal(amount) } as const;
  const { data } = await session.call(quoteBridge, request);
  const [fee, output] = [amountIn(data.fee.total, 'CNGN'), amountIn(data.outputAmount, 'CNGN')];
  return [
    ...(fee ? [['fee', amountForPeople(fee)] as const] : []),
    ...(output ? [['arrives', amountForPeople(output)] as const] : []),
  ];
}

const WORK = { start: startBridge, status: bridgeStatus } as const;

const startCommand = command({
  words: ['bridge', 'start'],
  money: 'guarded',
  summary: 'Start moving cNGN to another network',
  details:
    'Prints a deposit address. cNGN that you send to it, from the --from address, is released on the other network.',
  examples: [
    'fiatrail bridge start --from-network base --to-network bsc --amount 10000 --from 0x52908400098527886E0F7030069857D2E4169EE7 --to 0x8617E340B3D01FA5F11F306F4090FD50E238070D',
    'fiatrail bridge start --from-network base --to-network sol --amount 500 --from 0x52908400098527886E0F7030069857D2E4169EE7 --to 7S3P4HxJpyyigGzodYwHtCxZyUQe9JiBMHyRWXArAaKv --yes -o json',
  ],
  endpoints: [startBridge.id, bridgeStatus.id, quoteBridge.id, bridgeNetworks.id],
  prints: WORK,
  parameters: {
    fromNetwork,
    toNetwork,
    amount: requiredCngn,
    from: required('--from <address>', 'address that you will send the cNGN from', id, 'From address:'),
    to: required('--to <address>', 'address that receives the cNGN on the other network', id, 'To address:'),
    callback: option('--callback <url>', 'HTTPS URL to notify of progress', callbackUrl),
    wait: waitOption('until the cNGN has arrived'),
  },
  fields: { fromAddress: 'from', toAddress: 'to', callbackUrl: 'callback' },
  run: async (session, { fromNetwork: source, toNetwork: target, amount, from, to, callback, wait }) => {
    checkRoute(source, target);
    await requireNetworks(session, source, target);
    const reply = await session.change(
      startBridge,
      {
        token: TOKEN,
        fromNetwork: source,
        toNetwork: target,
        amount: wireDecimal(amount),
        fromAddress: from,
        toAddress: to,
        callbackUrl: callback,
      },
      {
        summary: `bridge ${amountForPeople(amount)} from ${source} to ${to} on ${target}`,
        lines: [
          amountLine(amount, 'decimal-string'),
          ['from', `${from} on ${source}`],
          ['destination', `${to} on ${target}`],
          ...(callback ? [['callback', callback] as const] : []),
        ],
        previews: () => readPreviews(() => costLines(session, source, target, amount)),
      },
      { prints: startedShape(WORK) },
    );
    const { receivableAddress, requestId } = reply.data;
    // With --wait, it is said even with --quiet: the result is printed only at the end, and until then nobody could pay.
    const tell = wait === undefined ? session.note : session.say;
    await tell(`now send ${amountForPeople(amount)} on ${source} from ${from} to ${receivableAddress}`);
    if (session.profile.mode !== 'live')
      await session.note(
        `in the sandbox: fiatrail sandbox pay ${receivableAddress} --chain --network ${source} --amount ${wireDecimal(amount)} --sender ${from}`,
      );
    const started = outcomeOf(session, startBridge, reply);
    if (wait === undefined) {
      await session.note(`then wait for it with: fiatrail bridge status ${requestId} --wait`);
      return startedOutcome(session, WORK, started);
    }
    return startedOutcome(session, WORK, started, await followWork(session, bridge, requestId, wait));
  },
});

const statusCommand = command({
  words: ['bridge', 'status'],
  summary: 'Show the status of a bridge transaction',
  examples: [
    'fiatrail bridge status 0198c1f2-5d0e-7cc3-98a1-0a54b2f0b1de',
    'fiatrail bridge status 0198c1f2-5d0e-7cc3-98a1-0a54b2f0b1de --wait -o json',
  ],
  endpoints: [bridgeStatus.id],
  prints: { response: bridgeStatus },
  parameters: {
    requestId: picked(
      'request',
      argument('request-id', 'request id, from bridge start or bridge list', id, 'Which request?'),
    ),
    wait: waitOption('until it completes or fails'),
  },
  run: async (session, { requestId, wait }) => followWork(session, bridge, requestId, wait ?? 0),
});

const NETWORK_COLUMNS = [
  {
    field: 'tokens',
    title: 'Bridges',
    columns: [
      { field: 'token', title: 'Token' },
      { field: 'networks', title: 'Networks' },
      { field: 'preferredProvider', title: 'Provider' },
    ],
  },
  { field: 'allSupportedNetworks', title: 'All networks' },
] as const;

const networksCommand = command({
  words: ['bridge', 'networks'],
  summary: 'List the networks that cNGN can move between',
  examples: ['fiatrail bridge networks', 'fiatrail bridge networks -o json --query "tokens[0].networks"'],
  endpoints: [bridgeNetworks.id],
  prints: { response: bridgeNetworks },
  parameters: {},
  run: async (session) =>
    outcomeOf(session, bridgeNetworks, await session.call(bridgeNetworks, {}), { columns: NETWORK_COLUMNS }),
});

const STATES = ['initiated', 'pending', 'completed', 'failed'] as const;

const COLUMNS = [
  { field: 'requestId', title: 'Bridge' },
  { field: 'status', title: 'Status' },
  { field: 'createdAt', title: 'When' },
  { field: 'fromNetwork', title: 'From' },
  { field: 'toNetwork', title: 'To' },
  { field: 'amount', title: 'Amount' },
  { field: 'actualAmount', title: 'Arrived' },
] as const;

const listCommand = command({
  words: ['bridge', 'list'],
  summary: 'List bridge transactions, newest first',
  examples: ['fiatrail bridge list --status completed', 'fiatrail bridge list --since 2026-08-01 --all -o csv'],
  endpoints: [listBridges.id],
  prints: { response: listBridges },
  parameters: {
    status: option('--status <status>', `${STATES.join(', ')} (default all)`, oneOf(...STATES)),
    token: option('--token <ticker>', 'only this token, such as CNGN', ticker),
    fromNetwork: option('--from-network <network>', 'only from this network', network),
    toNetwork: option('--to-network <network>', 'only to this network', network),
    ...periodOptions,
    ...listOptions('transactions'),
  },
  fields: { startDate: 'since', endDate: 'until' },
  run: async (session, { status, token, fromNetwork: from, toNetwork: to, ...page }) =>
    listed(
      session,
      {
        endpoint: listBridges,
        columns: COLUMNS,
        request: ({ size = DEFAULT_LIMIT, offset }, period) => ({
          ...{ status, token, fromNetwork: from, toNetwork: to, ...period },
          limit: size,
          page: offset === undefined ? undefined : Math.floor(offset / size) + 1,
        }),
        // The service counts pages, so an offset that falls inside a page skips its first rows.
        skipped: (offset, size) => offset % size,
        rowsOf: ({ transactions }) => transactions,
        totalOf: ({ pagination }) => pagination?.total,
        idOf: ({ requestId }) => requestId,
      },
      page,
      periodOf(page, session),
    ),
});

export const commands = [quoteCommand, startCommand, statusCommand, networksCommand, listCommand];
