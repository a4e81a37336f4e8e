import { advice } from '../base/advice.ts';
import { CliError } from '../base/errors.ts';
import { bridgeNetworks, quoteBridge, startBridge } from '../contract/endpoints/bridge.ts';
import { networkOf } from '../contract/networks.ts';
import type { Account } from '../engine/account.ts';
import { followedWorkOf } from '../engine/evidence/of-thing.ts';
import type { ShownLine } from '../engine/plans/line.ts';
import { amountLine, PREVIEW_READ, readPreviews } from '../engine/previews/previews.ts';
import { amountIn, wireDecimal } from '../engine/rules/fx-terms.ts';
import { type Amount, amountForPeople, printable } from '../money/amount.ts';
import { callCommand } from '../terminal/command.ts';
import { thingListCommand } from '../terminal/list-command.ts';
import { anyAddress, requiredCngn } from '../terminal/parse/field-options.ts';
import { option, picked, required } from '../terminal/parse/parameters.ts';
import { change } from '../terminal/terminal.ts';
import { startCommand, statusCommand } from '../terminal/work-commands.ts';
import { bridgeTransfer } from '../things/bridge-transfer.ts';

/** Only cNGN can be bridged. */
const TOKEN = 'CNGN';

const network = (text: string): string => {
  if (/^[a-z0-9-]{2,20}$/i.test(text)) return text.toLowerCase();
  throw new CliError('usage', `invalid network "${printable(text)}"`, {
    hint: advice`list the networks with: [fiatrail bridge networks]`,
  });
};

const callbackUrl = (text: string): string => {
  if (URL.canParse(text) && new URL(text).protocol === 'https:' && !/\s/.test(text)) return text;
  throw new CliError('usage', `invalid URL "${printable(text)}"; expected an HTTPS URL`, {
    hint: 'for example https://host/path',
  });
};

const NETWORK_HELP = 'network such as base, from bridge networks';
const fromNetwork = picked(
  'bridge network',
  required('--from-network <network>', NETWORK_HELP, network, 'From which network?'),
);
const toNetwork = picked(
  'bridge network',
  required('--to-network <network>', NETWORK_HELP, network, 'To which network?'),
);

function checkRoute(from: string, to: string): void {
  if (from === to)
    throw new CliError('usage', `--from-network and --to-network are both ${from}`, {
      code: 'VALIDATION_ERROR',
      hint: 'choose two different networks',
    });
}

/** Throws CliError usage for a network that neither the contract nor the service knows. */
async function requireNetworks(account: Account, ...names: readonly string[]): Promise<void> {
  const strange = names.filter((name) => networkOf(name) === undefined);
  if (strange.length === 0) return;
  const listed = await listedNetworks(account);
  const unknown = strange.find((name) => listed && !listed.includes(name));
  if (unknown === undefined || !listed) return;
  throw new CliError('usage', `unknown network "${unknown}"; nothing was sent`, {
    code: 'VALIDATION_ERROR',
    hint: `use one of ${listed.join(', ')}`,
  });
}

/** Returns the networks of the service; undefined if they cannot be read, so that the service decides. */
async function listedNetworks(account: Account): Promise<readonly string[] | undefined> {
  try {
    const { data } = await account.call(bridgeNetworks, {}, { ...PREVIEW_READ, isBeforehand: true });
    return [...new Set([...data.tokens.flatMap(({ networks }) => networks), ...data.allSupportedNetworks])];
  } catch (error) {
    if (error instanceof CliError && error.category !== 'interrupted') return undefined;
    throw error;
  }
}

/** The request for a quote. Throws CliError usage. */
function quoteRequest(from: string, to: string, amount: Amount) {
  checkRoute(from, to);
  return { token: TOKEN, fromNetwork: from, toNetwork: to, amount: wireDecimal(amount) } as const;
}

const bridge = followedWorkOf(bridgeTransfer);

const quote = callCommand(quoteBridge, {
  words: ['bridge', 'quote'],
  summary: 'Quote the cost of moving cNGN to another network',
  examples: [
    'fiatrail bridge quote --from-network base --to-network bsc --amount 10000',
    'fiatrail bridge quote --from-network base --to-network eth --amount 10000 -o json --query outputAmount.value',
  ],
  parameters: { fromNetwork, toNetwork, amount: requiredCngn },
  request: ({ fromNetwork: from, toNetwork: to, amount }) => quoteRequest(from, to, amount),
});

/** Quotes the fee and the amount that arrives. */
async function costLines(account: Account, from: string, to: string, amount: Amount): Promise<readonly ShownLine[]> {
  const { data } = await account.call(quoteBridge, quoteRequest(from, to, amount));
  const [fee, output] = [amountIn(data.fee.total, 'CNGN'), amountIn(data.outputAmount, 'CNGN')];
  return [
    ...(fee ? [['fee', amountForPeople(fee)] as const] : []),
    ...(output ? [['arrives', amountForPeople(output)] as const] : []),
  ];
}

const start = startCommand(bridge, startBridge, {
  words: ['bridge', 'create'],
  money: 'guarded',
  summary: 'Start moving cNGN to another network',
  details:
    'Prints a deposit address. cNGN that you send to it, from the --from address, is released on the other network.',
  examples: [
    'fiatrail bridge create --from-network base --to-network bsc --amount 10000 --from 0x52908400098527886E0F7030069857D2E4169EE7 --to 0x8617E340B3D01FA5F11F306F4090FD50E238070D',
    'fiatrail bridge create --from-network base --to-network sol --amount 500 --from 0x52908400098527886E0F7030069857D2E4169EE7 --to 7S3P4HxJpyyigGzodYwHtCxZyUQe9JiBMHyRWXArAaKv --yes -o json',
  ],
  calls: [quoteBridge.id, bridgeNetworks.id],
  parameters: {
    fromNetwork,
    toNetwork,
    amount: requiredCngn,
    from: required('--from <address>', 'address that you will send the cNGN from', anyAddress, 'From address:'),
    to: required('--to <address>', 'address that receives the cNGN on the other network', anyAddress, 'To address:'),
    callback: option('--callback-url <url>', 'HTTPS URL to notify of progress', callbackUrl),
  },
  fields: { fromAddress: 'from', toAddress: 'to', callbackUrl: 'callback' },
  send: async (account, terminal, { fromNetwork: source, toNetwork: target, amount, from, to, callback }, options) => {
    checkRoute(source, target);
    await requireNetworks(account, source, target);
    return change(
      account,
      terminal,
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
        previews: () => readPreviews(() => costLines(account, source, target, amount)),
      },
      options,
    );
  },
  begun: async (account, _terminal, { fromNetwork: source, amount, from, wait }, { receivableAddress, requestId }) => {
    // With --wait, it is said even with --quiet: the result is printed only at the end, and until then nobody could pay.
    const tell = wait === undefined ? account.notices.note : account.notices.say;
    await tell(`now send ${amountForPeople(amount)} on ${source} from ${from} to ${receivableAddress}`);
    if (account.profile.mode !== 'live')
      await account.notices.note(
        `in the sandbox: fiatrail sandbox pay ${receivableAddress} --chain --network ${source} --amount ${wireDecimal(amount)} --sender ${from}`,
      );
    if (wait === undefined)
      await account.notices.note(`then wait for it with: fiatrail bridge status ${requestId} --wait`);
    return undefined;
  },
});

const status = statusCommand(bridge);

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

const networks = callCommand(bridgeNetworks, {
  words: ['bridge', 'networks'],
  summary: 'List the networks that cNGN can move between',
  examples: ['fiatrail bridge networks', 'fiatrail bridge networks -o json --query "tokens[0].networks"'],
  parameters: {},
  request: () => ({}),
  columns: NETWORK_COLUMNS,
});

const list = thingListCommand(bridgeTransfer);

export const commands = [quote, start, status, networks, list];
