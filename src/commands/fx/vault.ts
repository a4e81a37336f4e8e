import { once } from '../../base/calls.ts';
import { CliError } from '../../base/errors.ts';
import { Secret } from '../../base/secret.ts';
import {
  autoSigningStats,
  autoSigningStatus,
  disableAutoSigning,
  enableAutoSigning,
  setAutoSigningThreshold,
} from '../../contract/endpoints/fx-auto-signing.ts';
import { fxSettings, registerMpc } from '../../contract/endpoints/fx-vault.ts';
import type { Account } from '../../engine/account.ts';
import { PREVIEW_READ, readPreviews } from '../../engine/previews/previews.ts';
import { printable, type UnknownFigure } from '../../money/amount.ts';
import { callCommand } from '../../terminal/command.ts';
import { evmAddress } from '../../terminal/parse/field-options.ts';
import { missingError } from '../../terminal/parse/missing.ts';
import {
  argument,
  id,
  option,
  repeated,
  required,
  switchOn,
  wholeNumber,
  word,
} from '../../terminal/parse/parameters.ts';

const settingsCommand = callCommand(fxSettings, {
  words: ['fx', 'vault', 'show'],
  summary: 'Show the MPC vault and its auto-signing settings',
  examples: ['fiatrail fx vault show', 'fiatrail fx vault show -o json --query mpcConfigStatus'],
  parameters: {},
  request: () => ({}),
});

const showCommand = callCommand(autoSigningStatus, {
  words: ['fx', 'auto-signing', 'show'],
  summary: 'Show whether auto-signing is on and how many trades it signed today',
  examples: ['fiatrail fx auto-signing show', 'fiatrail fx auto-signing show -o json --query enabled'],
  parameters: {},
  request: () => ({}),
});

const STATS = [
  {
    field: 'daily',
    title: 'Daily',
    columns: [
      { field: 'date', title: 'Day' },
      { field: 'totalAutoSigned', title: 'Auto-signed' },
      { field: 'totalAmountAutoSigned', title: 'Amount' },
      { field: 'fallbackCount', title: 'Manual' },
      { field: 'successRate', title: 'Success (percent)' },
      { field: 'avgExecutionTimeMs', title: 'Average (ms)' },
    ],
  },
  { field: 'totals', title: 'Total' },
] as const;

const statsCommand = callCommand(autoSigningStats, {
  words: ['fx', 'auto-signing', 'stats'],
  summary: 'Show daily auto-signing statistics',
  examples: ['fiatrail fx auto-signing stats --days 30', 'fiatrail fx auto-signing stats -o json --query totals'],
  parameters: { days: option('--days <count>', 'number of days, 1 to 365 (default 7)', wholeNumber(1, 365)) },
  request: ({ days }) => ({ days }),
  columns: STATS,
});

const dollarsOf = (text: string | UnknownFigure | null | undefined) =>
  typeof text === 'string' && text !== '' ? `$${text}` : undefined;

const enableCommand = callCommand(enableAutoSigning, {
  words: ['fx', 'auto-signing', 'enable'],
  summary: 'Enable auto-signing for trades up to the threshold',
  examples: [
    'fiatrail fx auto-signing enable',
    'fiatrail fx auto-signing enable --yes -o json --query usdThreshold.value',
  ],
  parameters: {},
  request: () => ({ enabled: true }),
  confirms: (_request, account) => {
    const read = once(async () => (await account.call(autoSigningStatus, {}, PREVIEW_READ)).data.autoSigning);
    return {
      summary: 'let trades up to the threshold be signed automatically',
      lines: [],
      replaces: [
        {
          label: 'auto-signing',
          next: 'on',
          read: async () => {
            const enabled = (await read())?.enabled ?? undefined;
            return { now: enabled === undefined ? undefined : enabled ? 'on' : 'off' };
          },
        },
      ],
      previews: () =>
        readPreviews(async () => {
          const threshold = dollarsOf((await read())?.usdThreshold);
          return threshold === undefined ? [] : [['threshold', threshold]];
        }),
    };
  },
});

const disableCommand = callCommand(disableAutoSigning, {
  words: ['fx', 'auto-signing', 'disable'],
  summary: 'Disable auto-signing',
  details: 'Every trade then needs manual approval.',
  examples: ['fiatrail fx auto-signing disable', 'fiatrail fx auto-signing disable -o json --query enabled'],
  parameters: {},
  request: () => ({ enabled: false }),
});

/** Parses US dollars, such as `500`, `$1,500.50` or `500 USD`, into the form the service takes. */
const dollars = (text: string): string => {
  const [, figure] =
    /^\$?(\d{1,3}(?:,\d{3}){1,3}(?:\.\d{1,2})?|\d{1,12}(?:\.\d{1,2})?)(?: ?USD)?$/i.exec(text.trim()) ?? [];
  if (figure !== undefined) return figure.replaceAll(',', '');
  throw new CliError('usage', `invalid amount "${printable(text)}"; expected US dollars`, {
    hint: 'write 500, $1,500.50 or "500 USD", at most $999,999,999,999.99 and 2 decimal places',
  });
};

const thresholdCommand = callCommand(setAutoSigningThreshold, {
  words: ['fx', 'auto-signing', 'set'],
  summary: 'Set the auto-signing threshold for trades',
  examples: ['fiatrail fx auto-signing set 500', "fiatrail fx auto-signing set '$1,500.50' --yes -o json"],
  parameters: {
    usd: argument(
      'usd',
      'threshold in US dollars; 0 signs no trade automatically',
      dollars,
      'Threshold in US dollars:',
    ),
  },
  fields: { usdThreshold: 'usd' },
  request: ({ usd }) => ({ usdThreshold: usd }),
  confirms: ({ usdThreshold }, account) => ({
    summary: `let trades up to $${usdThreshold} be signed automatically while auto-signing is on`,
    lines: [],
    replaces: [
      {
        label: 'threshold',
        next: `$${usdThreshold}`,
        read: async () => {
          const { autoSigning } = (await account.call(autoSigningStatus, {}, PREVIEW_READ)).data;
          return { now: dollarsOf(autoSigning?.usdThreshold) };
        },
      },
    ],
  }),
});

const MAX_KEY_BYTES = 20_000;

/** Reads a key file. Its contents are never shown. Throws CliError usage. */
async function keyIn({ world }: Account, flag: string, path: string): Promise<string> {
  return world.readFile(path, MAX_KEY_BYTES).catch((error: { code?: unknown }) => {
    if (error instanceof CliError) throw error;
    const why = typeof error.code === 'string' ? ` (${error.code})` : '';
    throw new CliError('usage', `${flag}: cannot read ${printable(path)}${why}`, {
      hint: 'give the path of the key file',
    });
  });
}

/** Reads the vault's API key from standard input or a hidden prompt, never from the arguments. */
async function vaultKey(account: Account, isOnStdin: boolean | undefined): Promise<Secret> {
  if (isOnStdin) {
    const text = (await account.world.stdin.readAll(MAX_KEY_BYTES)).trim();
    if (/^[\x21-\x7e]{1,500}$/.test(text)) return new Secret(text);
    throw new CliError('usage', 'no valid API key on standard input', {
      code: 'VALIDATION_ERROR',
      hint: 'pass only the key, on one line: --api-key-stdin < key.txt',
    });
  }
  if (!account.notices.isInteractive)
    throw missingError(['--api-key-stdin'], {
      expected: 'the vault’s API key on standard input',
      hint: 'for example: --api-key-stdin < key.txt',
    });
  const prompter = await account.world.prompter();
  const isKey = (text: string) => /^[\x21-\x7e]{1,500}$/.test(text.trim()) || 'keys have no spaces';
  return new Secret((await prompter.secret('API key of the vault:', isKey)).trim());
}

const registerCommand = callCommand(registerMpc, {
  words: ['fx', 'vault', 'register'],
  summary: 'Register the MPC vault that holds the stablecoins',
  details:
    'Trading is possible once the service has approved the vault. The keys are read from files and standard input, and are never shown, journaled or traced.',
  examples: [
    'fiatrail fx vault register --vault-id v-17 --usdc 0x52908400098527886E0F7030069857D2E4169EE7 --usdt 0x8617E340B3D01FA5F11F306F4090FD50E238070D --email ops@example.com --public-key-file signer.pub --private-key-file client --api-key-stdin --yes < key.txt',
  ],
  parameters: {
    vaultId: required('--vault-id <id>', 'vault id from the MPC provider', id, 'Vault id:'),
    usdc: required('--usdc <address>', 'address of the vault’s USDC wallet', evmAddress, 'USDC wallet of the vault:'),
    usdt: required('--usdt <address>', 'address of the vault’s USDT wallet', evmAddress, 'USDT wallet of the vault:'),
    emails: {
      ...repeated('--email <address>', 'notification address, 1 to 20', word),
      required: true,
      question: 'Address to notify of approval and transactions:',
    },
    publicKey: required(
      '--public-key-file <file>',
      'file with the SSH public key of the callback signer',
      word,
      'Public key file:',
    ),
    privateKeyFile: required(
      '--private-key-file <file>',
      'file with the OpenSSH private key of the client signer',
      word,
      'Private key file:',
    ),
    apiKeyStdin: switchOn('--api-key-stdin', 'read the vault’s API key from standard input'),
  },
  fields: {
    mpcVaultApiKey: 'apiKeyStdin',
    callbackClientSignerPublicKey: 'publicKey',
    mpcClientSignerPrivateKey: 'privateKeyFile',
    'tokenWallets.USDC': 'usdc',
    'tokenWallets.USDT': 'usdt',
    notificationEmails: 'emails',
  },
  request: async ({ vaultId, usdc, usdt, emails, ...files }, account) => {
    const publicKey = (await keyIn(account, '--public-key-file', files.publicKey)).trim();
    const privateKey = new Secret(await keyIn(account, '--private-key-file', files.privateKeyFile));
    const apiKey = await vaultKey(account, files.apiKeyStdin);
    return {
      mpcVaultApiKey: apiKey.reveal(),
      callbackClientSignerPublicKey: publicKey,
      mpcClientSignerPrivateKey: privateKey.reveal(),
      vaultId,
      tokenWallets: { USDC: usdc, USDT: usdt },
      notificationEmails: [...emails],
    };
  },
  confirms: ({ vaultId, tokenWallets: { USDC, USDT } }, account) => {
    const read = once(async () => (await account.call(fxSettings, {}, PREVIEW_READ)).data);
    const wallet = (asset: 'USDC' | 'USDT', next: string) => ({
      label: `${asset} wallet`,
      next,
      read: async () => ({ now: (await read()).tokenWallets?.[asset] ?? 'none' }),
    });
    return {
      summary: `register vault ${vaultId} for the account’s stablecoins`,
      lines: [],
      replaces: [
        { label: 'vault', next: vaultId, read: async () => ({ now: (await read()).vaultId ?? 'none' }) },
        wallet('USDC', USDC),
        wallet('USDT', USDT),
      ],
    };
  },
});

export const commands = [
  settingsCommand,
  showCommand,
  statsCommand,
  enableCommand,
  disableCommand,
  thresholdCommand,
  registerCommand,
];
