import { CliError } from '../../base/errors.ts';
import { Secret } from '../../base/secret.ts';
import { evmAddress } from '../../cli/addresses.ts';
import { command } from '../../cli/command.ts';
import { argument, id, option, repeated, required, switchOn, wholeNumber, word } from '../../cli/parameters.ts';
import { outcomeOf, type Session } from '../../cli/session.ts';
import {
  autoSigningStats,
  autoSigningStatus,
  disableAutoSigning,
  enableAutoSigning,
  setAutoSigningThreshold,
} from '../../contract/endpoints/fx-auto-signing.ts';
import { fxSettings, registerMpc } from '../../contract/endpoints/fx-vault.ts';
import { printable } from '../../money/amount.ts';

const settingsCommand = command({
  words: ['fx', 'settings'],
  summary: 'Show the MPC vault and its signing settings',
  examples: ['fiatrail fx settings', 'fiatrail fx settings -o json --query mpcConfigStatus'],
  endpoints: [fxSettings.id],
  parameters: {},
  run: async (session) => outcomeOf(session, fxSettings, await session.call(fxSettings, {})),
});

const statusCommand = command({
  words: ['fx', 'auto-signing', 'status'],
  summary: 'Show whether trades are signed without a person, and how many were today',
  examples: ['fiatrail fx auto-signing status', 'fiatrail fx auto-signing status -o json --query enabled'],
  endpoints: [autoSigningStatus.id],
  parameters: {},
  run: async (session) => outcomeOf(session, autoSigningStatus, await session.call(autoSigningStatus, {})),
});

const STATS = [
  {
    field: 'daily',
    title: 'Days',
    columns: [
      { field: 'date', title: 'Day' },
      { field: 'totalAutoSigned', title: 'Signed' },
      { field: 'totalAmountAutoSigned', title: 'US dollars' },
      { field: 'fallbackCount', title: 'By a person' },
      { field: 'successRate', title: 'Percent' },
      { field: 'avgExecutionTimeMs', title: 'Milliseconds' },
    ],
  },
  { field: 'totals', title: 'Together' },
] as const;

const statsCommand = command({
  words: ['fx', 'auto-signing', 'stats'],
  summary: 'Show day by day what was signed without a person',
  examples: ['fiatrail fx auto-signing stats --days 30', 'fiatrail fx auto-signing stats -o json --query totals'],
  endpoints: [autoSigningStats.id],
  parameters: { days: option('--days <count>', '1 to 365 (default 7)', wholeNumber(1, 365)) },
  run: async (session, { days }) =>
    outcomeOf(session, autoSigningStats, await session.call(autoSigningStats, { days }), { columns: STATS }),
});

const enableCommand = command({
  words: ['fx', 'auto-signing', 'enable'],
  summary: 'Let trades up to the threshold be signed without a person',
  examples: ['fiatrail fx auto-signing enable', 'fiatrail fx auto-signing enable -o json --query usdThreshold'],
  endpoints: [enableAutoSigning.id],
  parameters: {},
  run: async (session) =>
    outcomeOf(session, enableAutoSigning, await session.call(enableAutoSigning, { enabled: true })),
});

const disableCommand = command({
  words: ['fx', 'auto-signing', 'disable'],
  summary: 'Have a person approve every trade',
  examples: ['fiatrail fx auto-signing disable', 'fiatrail fx auto-signing disable -o json --query enabled'],
  endpoints: [disableAutoSigning.id],
  parameters: {},
  run: async (session) =>
    outcomeOf(session, disableAutoSigning, await session.call(disableAutoSigning, { enabled: false })),
});

/** `500`, `$1,500.50`, `500 USD`: US dollars as the service takes them. */
const dollars = (text: string): string => {
  const [, figure] =
    /^\$?(\d{1,3}(?:,\d{3}){1,3}(?:\.\d{1,2})?|\d{1,12}(?:\.\d{1,2})?)(?: ?USD)?$/i.exec(text.trim()) ?? [];
  if (figure !== undefined) return figure.replaceAll(',', '');
  throw new CliError('usage', `"${printable(text)}" is no amount of US dollars`, {
    hint: 'write 500, $1,500.50 or "500 USD": 0 or above, at most 12 digits and 2 decimals',
  });
};

const thresholdCommand = command({
  words: ['fx', 'auto-signing', 'threshold'],
  summary: 'Set up to which value trades are signed without a person',
  examples: ['fiatrail fx auto-signing threshold 500', 'fiatrail fx auto-signing threshold "$1,500.50" -o json'],
  endpoints: [setAutoSigningThreshold.id],
  parameters: { usd: argument('usd', 'US dollars; 0 lets none through', dollars, 'Threshold in US dollars:') },
  run: async (session, { usd }) =>
    outcomeOf(session, setAutoSigningThreshold, await session.call(setAutoSigningThreshold, { usdThreshold: usd })),
});

const MAX_KEY_BYTES = 20_000;

/** The text of a key's file. What stands in it is never shown. Throws CliError usage. */
async function keyIn({ world }: Session, flag: string, path: string): Promise<string> {
  return world.readFile(path, MAX_KEY_BYTES).catch((error: { code?: unknown }) => {
    if (error instanceof CliError) throw error;
    const why = typeof error.code === 'string' ? ` (${error.code})` : '';
    throw new CliError('usage', `${flag}: ${printable(path)} cannot be read${why}`, {
      hint: 'give the path of the file that holds the key',
    });
  });
}

/** The vault's API key, from standard input or a hidden prompt: it never stands in the arguments. */
async function vaultKey(session: Session, isOnStdin: boolean | undefined): Promise<Secret> {
  if (isOnStdin) {
    const text = (await session.world.stdin.readAll(MAX_KEY_BYTES)).trim();
    if (/^[\x21-\x7e]{1,500}$/.test(text)) return new Secret(text);
    throw new CliError('usage', 'standard input holds no API key', {
      hint: 'give it the key alone, on one line: --api-key-stdin < key.txt',
    });
  }
  if (!session.isInteractive)
    throw new CliError('usage', 'the API key of the vault is missing', {
      code: 'MISSING_INPUT',
      hint: 'give it on standard input with --api-key-stdin, so that it stands in no list of processes',
    });
  const prompter = await session.world.prompter();
  const isKey = (text: string) => /^[\x21-\x7e]{1,500}$/.test(text.trim()) || 'a key has no blanks';
  return new Secret((await prompter.secret("The vault's API key:", isKey)).trim());
}

const registerCommand = command({
  words: ['fx', 'mpc', 'register'],
  summary: 'Register the MPC vault that holds the stablecoins',
  details:
    'Trading waits until the service has approved it. The keys come from files and standard input; none is shown, journaled or traced.',
  examples: [
    'fiatrail fx mpc register --vault-id v-17 --usdc 0x52908400098527886E0F7030069857D2E4169EE7 --usdt 0x8617E340B3D01FA5F11F306F4090FD50E238070D --email ops@example.com --public-key signer.pub --private-key-file client --api-key-stdin < key.txt',
  ],
  endpoints: [registerMpc.id],
  parameters: {
    vaultId: required('--vault-id <id>', 'as the vault’s provider has it', id, 'Vault id:'),
    usdc: required('--usdc <address>', "the vault's wallet for USDC", evmAddress, 'USDC wallet of the vault:'),
    usdt: required('--usdt <address>', "the vault's wallet for USDT", evmAddress, 'USDT wallet of the vault:'),
    emails: repeated('--email <address>', 'who is told, 1 to 20; may be repeated', word),
    publicKey: required(
      '--public-key <file>',
      'SSH public key of the callback signer',
      word,
      'File of the public key:',
    ),
    privateKeyFile: required(
      '--private-key-file <file>',
      'OpenSSH private key of the client signer',
      word,
      'File of the private key:',
    ),
    apiKeyStdin: switchOn('--api-key-stdin', "read the vault's API key from standard input"),
  },
  run: async (session, input) => {
    const { vaultId, usdc, usdt, emails } = input;
    if (!emails || emails.length === 0)
      throw new CliError('usage', 'this is missing: --email <address>', {
        code: 'MISSING_INPUT',
        hint: 'give the addresses that are told of the vault’s approval and of its transactions',
      });
    const publicKey = (await keyIn(session, '--public-key', input.publicKey)).trim();
    const privateKey = new Secret(await keyIn(session, '--private-key-file', input.privateKeyFile));
    const apiKey = await vaultKey(session, input.apiKeyStdin);
    const reply = await session.call(registerMpc, {
      mpcVaultApiKey: apiKey.reveal(),
      callbackClientSignerPublicKey: publicKey,
      mpcClientSignerPrivateKey: privateKey.reveal(),
      vaultId,
      tokenWallets: { USDC: usdc, USDT: usdt },
      notificationEmails: [...emails],
    });
    return outcomeOf(session, registerMpc, reply);
  },
});

export const commands = [
  settingsCommand,
  statusCommand,
  statsCommand,
  enableCommand,
  disableCommand,
  thresholdCommand,
  registerCommand,
];
