import { TO } from '../support/fee-withdrawal.ts';
import { PLANTED, type PlantedName } from './planted.ts';
import type { Programs } from './programs.ts';
import type { Manner } from './service.ts';

/** A command line of the session. */
export interface Step {
  readonly words: readonly string[];
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** How the service responds from here on. */
  readonly manner?: Manner;
  readonly newKey?: PlantedName;
  /** The secrets it is supposed to print. */
  readonly shows?: readonly PlantedName[];
  /** The exit code that shows that it got as far as intended. */
  readonly exit: number;
}

/** What the session needs from its environment. */
export interface Stage {
  readonly baseUrl: string;
  readonly programs: Programs;
  /** Files with the user's secrets. */
  readonly files: {
    readonly signer: string;
    readonly signerPublic: string;
    readonly webhook: string;
  };
}

const text = (name: PlantedName) => PLANTED[name].text;

const EMBEDDED = ['--profile', 'sandbox'];
const FILE = ['--profile', 'main'];
const PLANNED = ['fees', 'withdraw', '--amount', '500', ...TO];
const WALLETS = [
  '--usdc',
  '0x52908400098527886E0F7030069857D2E4169EE7',
  '--usdt',
  '0x8617E340B3D01FA5F11F306F4090FD50E238070D',
];

/** The ways to run a command. */
const VARIANTS = [[], ['-v'], ['-o', 'json'], ['-o', 'json', '-v'], ['--dry-run', '-v'], ['-o', 'raw']] as const;

const vault = ({ files }: Stage, more: readonly string[]) => [
  'fx',
  'vault',
  'register',
  '--vault-id',
  'v-17',
  ...WALLETS,
  '--email',
  'ops@example.com',
  '--public-key',
  files.signerPublic,
  '--private-key-file',
  files.signer,
  '--api-key-stdin',
  '-y',
  ...more,
];

/** Profiles with every kind of store. */
function profiles({ baseUrl, programs }: Stage): Step[] {
  const add = (name: string, ...more: string[]) => [
    'profiles',
    'add',
    name,
    '--base-url',
    baseUrl,
    '--mode',
    'live',
    ...more,
  ];
  const hook = { NODE_OPTIONS: programs.keyringHook };
  return [
    { words: [...add('main', '--key-stdin'), '-v'], stdin: `${text('fileKey')}\n`, exit: 0 },
    { words: [...add('main', '--key-stdin'), '--dry-run', '-o', 'json'], stdin: `${text('fileKey')}\n`, exit: 0 },
    { words: add('commanded', '--key-command', programs.keyCommand), exit: 0 },
    { words: add('ringed', '--key-stdin', '--store', 'keyring'), stdin: text('keyringKey'), env: hook, exit: 0 },
    { words: ['profiles', 'show', 'ringed', '-o', 'json'], env: hook, exit: 0 },
    { words: ['profiles', 'show', 'main'], exit: 0 },
    { words: ['profiles', 'show', 'commanded', '-o', 'yaml'], exit: 0 },
    { words: ['profiles', 'list', '-o', 'csv'], exit: 0 },
    { words: ['profiles', 'export'], exit: 0 },
    // The first journal of each live account is confirmed once.
    { words: ['ops', 'journal', 'verify', '--accept', '--yes', '--profile', 'main'], exit: 0 },
    { words: ['ops', 'journal', 'verify', '--accept', '--yes', '--profile', 'commanded'], exit: 0 },
    { words: ['ops', 'journal', 'verify', '--accept', '--yes', '--profile', 'ringed'], env: hook, exit: 0 },
    { words: ['explain', ...FILE, '-o', 'json'], exit: 0 },
    { words: ['doctor', ...FILE, '-v', '-o', 'json'], manner: 'succeeds', exit: 0 },
    { words: ['doctor', '--profile', 'ringed', '-v'], env: hook, exit: 0 },
    { words: ['doctor', ...FILE, '-v'], manner: 'forbids', exit: 4 },
    // Invalid input.
    { words: add('main', '--key-stdin'), stdin: `${text('fileKey')}\n${text('newKey')}\n`, exit: 2 },
    { words: add('other', '--key-stdin'), stdin: ` ${text('fileKey')}`, exit: 2 },
    { words: [...add('other'), `--key=${text('typedKey')}`], exit: 2 },
    { words: add('other', '--key-stdin', text('typedKey')), exit: 2 },
    { words: add(text('typedKey')), exit: 2 },
    { words: ['status', '--profile', text('typedKey')], exit: 2 },
    { words: ['profiles', 'show', text('typedKey')], exit: 2 },
    { words: ['profiles', 'use', text('typedKey'), '-o', 'json'], exit: 2 },
    { words: ['keys', 'rotate', text('typedKey'), ...FILE], exit: 2 },
    { words: ['keys', text('typedKey')], exit: 2 },
    { words: [text('typedKey')], exit: 2 },
    { words: ['status', '-o', text('typedKey')], exit: 2 },
    { words: ['status', '--timeout', text('typedKey')], exit: 2 },
    {
      words: ['profiles', 'add', 'other', '--base-url', `https://me:${text('urlPassword')}@host/v1`, '--key-stdin'],
      stdin: 'k',
      exit: 2,
    },
    {
      words: [
        'profiles',
        'add',
        'other',
        '--base-url',
        `https://host/v1?password=${text('urlPassword')}`,
        '--key-stdin',
      ],
      stdin: 'k',
      exit: 2,
    },
    {
      words: ['keys', 'encryption', 'enable', '--yes', '--private-key-stdin', ...FILE],
      stdin: `${text('privateKey')}0`,
      exit: 2,
    },
  ];
}

/** An account set by environment variables, with passwords in URLs. */
function environment({ baseUrl }: Stage): Step[] {
  const account = {
    FIATRAIL_BASE_URL: baseUrl,
    FIATRAIL_API_KEY: text('environmentKey'),
    FIATRAIL_WEBHOOK_SECRET: text('variableSecret'),
  };
  const withPassword = { ...account, FIATRAIL_BASE_URL: `https://me:${text('urlPassword')}@host.invalid/v1` };
  const proxied = {
    ...account,
    FIATRAIL_BASE_URL: 'https://host.invalid/v1',
    HTTPS_PROXY: `http://me:${text('proxyPassword')}@127.0.0.1:9`,
  };
  return [
    ...(
      ['refuses', 'forbids', 'crashes', 'breaks off', 'rambles', 'redirects', 'limits', 'hangs up', 'succeeds'] as const
    ).flatMap((manner) => [
      { words: ['status', '-v', '--timeout', '1s'], env: account, manner, exit: -1 },
      { words: ['api', 'GET', '/getfees', '-o', 'raw', '-v', '--timeout', '1s'], env: account, manner, exit: -1 },
    ]),
    { words: ['explain', '-o', 'json'], env: account, exit: 0 },
    { words: ['doctor', '-o', 'json'], env: account, exit: 0 },
    { words: ['status', '-v'], env: withPassword, exit: 2 },
    { words: ['explain'], env: withPassword, exit: -1 },
    { words: ['doctor'], env: withPassword, exit: 2 },
    { words: ['status', '-v', '-o', 'json', '--timeout', '1s'], env: proxied, exit: 5 },
    { words: ['doctor', '-v', '--timeout', '1s'], env: proxied, exit: 5 },
    { words: ['status'], env: { ...proxied, HTTPS_PROXY: `me:${text('proxyPassword')}@proxy` }, exit: -1 },
    {
      words: ['doctor', '-o', 'json'],
      env: { ...proxied, HTTPS_PROXY: `me:${text('proxyPassword')}@proxy` },
      exit: -1,
    },
    { words: ['status'], env: { ...account, FIATRAIL_API_KEY: ` ${text('environmentKey')}` }, exit: 2 },
    { words: ['status'], env: { FIATRAIL_API_KEY: text('environmentKey') }, exit: 2 },
    { words: ['status', '-o', 'json'], env: { ...account, FIATRAIL_PROFILE: text('environmentKey') }, exit: 2 },
  ];
}

/** BVNs, webhook secrets and vault keys against a service that echoes them. */
function requests(stage: Stage): Step[] {
  const onboard = ['users', 'onboard', '--bvn-stdin', ...FILE];
  const debug = { FIATRAIL_DEBUG: '1' };
  const manners = ['refuses', 'crashes', 'breaks off', 'succeeds'] as const;
  return [
    ...manners.flatMap((manner, round) =>
      // Each way is combined with every second variant, and each variant with two ways.
      VARIANTS.filter((_variant, at) => (at + round) % 2 === 0).flatMap((variant): Step[] => [
        { words: [...onboard, ...variant], stdin: text('bvn'), manner, env: debug, exit: -1 },
        { words: vault(stage, [...FILE, ...variant]), stdin: text('vaultKey'), manner, env: debug, exit: -1 },
        {
          words: ['api', 'POST', '/setwebhook', '-d', `@${stage.files.webhook}`, ...FILE, ...variant],
          manner,
          exit: -1,
        },
        {
          words: ['api', 'POST', '/onboarduser', '-d', '-', ...FILE, ...variant],
          stdin: `{"bvn":"${text('bvn')}"}`,
          manner,
          exit: -1,
        },
      ]),
    ),
    { words: ['users', 'onboard', text('bvn'), '-v', ...FILE], manner: 'refuses', exit: 3 },
    // Invalid input.
    ...(['mistypedBvn', 'shortBvn'] as const).flatMap((bvn): Step[] => [
      { words: [...onboard, '-v'], stdin: text(bvn), exit: 2 },
      { words: ['users', 'onboard', text(bvn), ...FILE], exit: 2 },
      { words: ['api', 'POST', '/onboarduser', '-f', `bvn=${text(bvn)}`, '-v', ...FILE], exit: 3 },
    ]),
    { words: ['users', 'onboard', text('bvn'), text('bvn')], exit: 2 },
    { words: ['users', 'onboard', `--bvn=${text('bvn')}`], exit: 2 },
    { words: ['users', 'onboard', '--bvn', text('bvn'), '-o', 'json'], exit: 2 },
    { words: ['users', 'onboarding', 'status', text('bvn'), 'more'], exit: 2 },
    { words: ['api', 'POST', '/onboarduser', '-d', '-', ...FILE], stdin: `{"bvn":"${text('bvn')}"`, exit: 2 },
    { words: ['api', 'POST', '/onboarduser', '-f', `bvn:${text('bvn')}`, ...FILE], exit: 2 },
    { words: ['api', 'POST', `/onboarduser/${text('bvn')}`, ...FILE], exit: 2 },
    {
      words: [...vault(stage, FILE).filter((word) => word !== '--api-key-stdin'), `--api-key=${text('typedKey')}`],
      exit: 2,
    },
    { words: [...vault(stage, FILE)], stdin: `two words ${text('vaultKey')}`, exit: 2 },
    {
      words: vault({ ...stage, files: { ...stage.files, signerPublic: stage.files.signer } }, FILE),
      stdin: text('vaultKey'),
      exit: 2,
    },
  ];
}

/** Keys that are created, rotated and printed. */
function keys({ programs, baseUrl }: Stage): Step[] {
  const rotate = (...more: string[]) => ['keys', 'rotate', '-y', '--no-input', '-v', ...more];
  const sandbox = ['keys', 'sandbox', 'add', '--base-url', baseUrl, ...FILE];
  return [
    { words: ['keys', 'aes', 'show', ...FILE, '-v', '-o', 'json'], manner: 'succeeds', exit: 0 },
    { words: ['keys', 'aes', 'show', ...FILE, '--print-key'], shows: ['aesKey'], exit: 0 },
    { words: [...sandbox, '--save', 'made', '-v', '-o', 'json'], exit: 0 },
    { words: [...sandbox, '--print-key', '-v'], shows: ['sandboxKey'], exit: 0 },
    { words: [...sandbox, '--print-key', '--dry-run'], exit: 0 },
    { words: rotate('--dry-run', ...FILE), exit: 0 },
    ...(['refuses', 'forbids', 'limits'] as const).map(
      (manner): Step => ({ words: rotate('--timeout', '1s', ...FILE), manner, exit: -1 }),
    ),
    {
      words: rotate(...FILE, '--push-command', programs.failingPush, '-o', 'json'),
      manner: 'succeeds',
      newKey: 'newKey',
      exit: 8,
    },
    { words: ['doctor', ...FILE], exit: 8 },
    { words: ['keys', 'rotate', '--resume', ...FILE, '-o', 'json'], exit: 8 },
    { words: rotate('--profile', 'commanded'), exit: 2 },
    { words: rotate('--profile', 'commanded', '--push-command', programs.push), newKey: 'pushedKey', exit: 8 },
    { words: ['ops', 'list', '-o', 'json'], exit: 0 },
    {
      words: ['keys', 'encryption', 'enable', '--yes', '--private-key-stdin', ...FILE, '-v'],
      stdin: text('privateKey'),
      exit: 0,
    },
    { words: ['keys', 'encryption', 'enable', '--yes', '--aes-envelope', ...FILE, '-v', '-o', 'json'], exit: 0 },
    { words: ['keys', 'encryption', 'rotate', ...FILE, '-v', '-o', 'json'], exit: 0 },
    { words: ['keys', 'encryption', 'show', ...FILE, '-o', 'json'], exit: 0 },
    { words: ['keys', 'encryption', 'rotate', ...FILE, '--dry-run', '-v'], exit: 0 },
  ];
}

/** The embedded sandbox, with faults. */
function embedded(stage: Stage): Step[] {
  const fault = (on: string, kind: string): Step => ({
    words: ['sandbox', 'fault', 'add', '--on', on, '--fault', kind, ...EMBEDDED],
    exit: 0,
  });
  const onboard = ['users', 'onboard', '--bvn-stdin', '-v', ...EMBEDDED];
  const kinds = ['http-500', 'http-502-html', 'malformed-json', 'truncated', 'lost-response'] as const;
  return [
    ...kinds.flatMap((kind): Step[] => [
      fault('users.onboard', kind),
      { words: onboard, stdin: text('bvn'), exit: -1 },
      fault('management.set-webhook', kind),
      { words: ['api', 'POST', '/setwebhook', '-d', `@${stage.files.webhook}`, '-v', ...EMBEDDED], exit: -1 },
      fault('fx.register-mpc', kind),
      { words: vault(stage, ['-v', ...EMBEDDED]), stdin: text('vaultKey'), exit: -1 },
    ]),
    { words: ['users', 'list', '-o', 'json', ...EMBEDDED], exit: 0 },
    { words: ['fx', 'vault', 'show', '-o', 'json', '-v', ...EMBEDDED], exit: 0 },
    { words: ['keys', 'encryption', 'enable', '--yes', '-v', ...EMBEDDED], exit: 0 },
    { words: ['profiles', 'approvers', 'list', '-v', '-o', 'json', ...EMBEDDED], exit: 0 },
    { words: [...PLANNED, '--plan', 'plan.json', '-v', ...EMBEDDED], exit: 0 },
    { words: ['plans', 'approve', 'plan.json', '-y', '-v', ...EMBEDDED], exit: 9 },
    { words: ['plans', 'apply', 'plan.json', '-y', '-v', '-o', 'json', ...EMBEDDED], exit: 0 },
    { words: ['keys', 'aes', 'show', '-v', ...EMBEDDED], exit: 0 },
    { words: ['keys', 'rotate', '-y', '-v', ...EMBEDDED], exit: 0 },
    { words: ['status', '-v', ...EMBEDDED], exit: 0 },
    { words: ['sandbox', 'status', '-o', 'json', '-v', ...EMBEDDED], exit: 0 },
    { words: ['sandbox', 'snapshot', 'snapshot.db', ...EMBEDDED], exit: 0 },
    { words: ['api', 'GET', '/getwebhook', '-o', 'raw', '-v', ...EMBEDDED], exit: 0 },
    { words: ['tour', '-v'], exit: 0 },
  ];
}

/** Without a terminal, approvers are added only while the journal knows no live account. */
const FIRST: Step = { words: ['profiles', 'approvers', 'add', 'ada', '--generate', '-y', '-v', ...EMBEDDED], exit: 0 };

export function stepsOf(stage: Stage): Step[] {
  return [FIRST, ...profiles(stage), ...environment(stage), ...requests(stage), ...keys(stage), ...embedded(stage)];
}
