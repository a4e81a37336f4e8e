import { copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Secret } from '../../src/base/secret.ts';
import { SANDBOX_CLOCK } from '../../src/contract/sandbox.ts';
import { signingPairOf } from '../../src/crypto/signing.ts';
import type { Plan } from '../../src/engine/plans/plan.ts';
import { withSignature } from '../../src/engine/plans/signatures.ts';
import { headFile } from '../../src/engine/plans/signed-head.ts';
import {
  agreeOn,
  BASE_URL,
  contentOf,
  exchangeKeys,
  joinTeam,
  LIVE_KEY,
  operators,
  PAYOUT,
  plan,
  type Ran,
  rehashed,
  rewritten,
  type Team,
} from './support.ts';

/**
 * What Ada tries alone with what she brings along: clocks, folders, servers, keys and files. The live account `main` has two operators, Ada
 * and Bayo, who must both sign above 49,999 cNGN.
 */

const HOUR_MS = 3_600_000;
const LONG_MS = 49 * HOUR_MS;
const HONEST = new URL(BASE_URL).hostname;
/** A server of Ada's. */
const OWN_URL = 'https://own.test/v1';
const OWN = new URL(OWN_URL).hostname;
/** A served sandbox, whose clock Ada moves. */
const BOX_URL = 'https://box.test/v1';
const BOX = new URL(BOX_URL).hostname;
const BOX_KEY = 'sandbox_0123456789abcdef0123456789abcdef';
const OTHER_LIVE_KEY = 'another-live-key-of-the-account';
const KEY = '7c5b060f3da68214db34253df3444c55b38196011f5a122bfc7c2a5030347beb';

type More = NonNullable<Parameters<Team['run']>[2]>;

/** Runs a command as Ada at a terminal, where she agrees to whatever is asked. `person`: which of her configurations. */
const ada = (team: Team, argv: readonly string[], more: More = {}, person = 'ada'): Promise<Ran> =>
  team.run(person, [...argv, '-o', 'json'], { isTerminal: true, agrees: true, user: 'ada', ...more });
/** The same without a terminal. */
const script = (team: Team, argv: readonly string[], more: More = {}) =>
  ada(team, [...argv, '--yes'], { isTerminal: false, ...more });

export const on = (profile: string, argv: readonly string[]) => [...argv, '--profile', profile];
const without = (...argv: readonly string[]) => [...operators(...argv), '--without-signature'];
const REMOVE = without('remove', 'bayo');

const secretsOf = (team: Team, person: string) => team.file(`${person}/config/secrets`);

/** Adds a profile, with the operator key that the person has. */
async function profile(team: Team, name: string, url: string, mode: string, key: string, person = 'ada') {
  const argv = ['profiles', 'add', name, '--base-url', url, '--mode', mode, '--key-stdin', '--yes'];
  const { code, stderr } = await ada(team, argv, { stdin: key, isTerminal: false }, person);
  if (code !== 0) throw new Error(stderr);
  mkdirSync(secretsOf(team, person), { recursive: true, mode: 0o700 });
  const to = join(secretsOf(team, person), `${name}.operator-key`);
  const from = join(secretsOf(team, person === 'bayo' ? 'bayo' : 'ada'), 'main.operator-key');
  if (existsSync(from) && from !== to) copyFileSync(from, to);
  await ada(team, ['ops', 'verify', '--accept', '--yes', '--profile', name], {}, person);
}

export const box = (team: Team, person = 'ada') => profile(team, 'box', BOX_URL, 'sandbox', BOX_KEY, person);
export const own = (team: Team, person = 'ada') => profile(team, 'own', OWN_URL, 'live', LIVE_KEY, person);
/** The same account with a key that the journal does not know: it was rotated elsewhere. */
export const rotated = (team: Team, url = BASE_URL, person = 'ada') =>
  profile(team, 'rotated', url, 'live', OTHER_LIVE_KEY, person);

/** Lets a host say a time that is ahead. */
export function ahead(team: Team, host: string, ms: number): void {
  team.service.times[host] = () => ({ date: new Date(team.clock.now() + ms).toUTCString() });
}

/** Lets a host say no time that counts. */
function timeless(team: Team, headers: Readonly<Record<string, string>> = { date: '' }): void {
  team.service.times[HONEST] = () => headers;
}

/** Announces the removal of Bayo, then runs what should make it. */
async function announcedThen(team: Team, run: () => Promise<Ran>): Promise<Ran> {
  const { code, stderr } = await ada(team, REMOVE);
  if (code !== 0) throw new Error(stderr);
  return run();
}

/** Writes a plan and changes it as its author can: the hash and the author's signature are right. */
async function resigned(team: Team, change: (content: Plan['content']) => Plan['content']): Promise<string> {
  const path = await plan(team, 'ada');
  const { plan: content } = contentOf(path);
  const unsigned = rehashed({ content: change(content), hash: '', signatures: [] });
  const whole = await signedWith(team, 'ada', unsigned, 'author');
  return rewritten(team, path, () => whole);
}

/** Signs a plan with the operator key of a configuration. */
async function signedWith(team: Team, person: string, unsigned: Plan, role: 'author' | 'signer'): Promise<Plan> {
  const seed = readFileSync(join(secretsOf(team, person), 'main.operator-key'), 'utf8').trim();
  const pair = await signingPairOf(new Secret(seed));
  const { stdout } = await ada(team, operators('list'));
  const { operators: listed } = JSON.parse(stdout) as { operators: { name: string; publicKey: string }[] };
  const name = listed.find(({ publicKey }) => publicKey === pair.publicKey)?.name ?? person;
  return withSignature(unsigned, { name, ...pair }, role, team.clock.now());
}

type Author = Plan['content']['author'];
const claiming = (team: Team, more: (author: Author) => Partial<Author>) =>
  resigned(team, (content) => ({ ...content, author: { ...content.author, ...more(content.author) } }));

/** Writes a changed plan, has Bayo sign it without looking, and applies it. */
async function signedAndApplied(team: Team, path: string): Promise<Ran> {
  const { plan: content, hash, signatures } = contentOf(path);
  const signed = await signedWith(team, 'bayo', { content, hash, signatures }, 'signer');
  return script(team, ['ops', 'apply', rewritten(team, path, () => signed)]);
}

/** Exit code and error code. */
export type End = readonly [exit: number, code: string];

export interface Attack {
  /** What one person alone tries to do. */
  readonly what: string;
  /** How it ends with a journal in a file; undefined if there is nothing to attack. */
  readonly sqlite?: End;
  /** How it ends with a shared journal. */
  readonly postgres?: End;
  /** The table of the documentation has it. */
  readonly isDocumented?: boolean;
  /** There is no list of operators afterwards that could have been changed. */
  readonly isAnotherJournal?: boolean;
  readonly run: (team: Team) => Promise<Ran>;
}

const both = (code: string): readonly [End, End] => [
  [9, code],
  [9, code],
];
const same = (...end: End) => ({ sqlite: end, postgres: end });
const PENDING = same(9, 'CHANGE_PENDING');
const OTHER = same(9, 'OTHER_SERVICE');
const UNSIGNED = same(9, 'SIGNATURE_REQUIRED');
const ABSENT = same(2, 'NOT_FOUND');
const NO_TERMINAL = same(2, 'CONFIRMATION_NEEDED');
const CLAIMED = same(9, 'AUTHOR_CHANGED');

export const ATTACKS: readonly Attack[] = [
  {
    what: 'remove the second operator with a second profile, of a sandbox',
    ...ABSENT,
    isDocumented: true,
    run: async (team) => {
      await box(team);
      return script(team, on('box', REMOVE));
    },
  },
  {
    what: 'announce the removal, and make it with a sandbox whose clock was moved by 49 hours',
    ...ABSENT,
    isDocumented: true,
    run: (team) =>
      announcedThen(team, async () => {
        await box(team);
        team.service.times[BOX] = () => ({ [SANDBOX_CLOCK]: `${team.clock.now() + LONG_MS} ${LONG_MS}` });
        return ada(team, on('box', REMOVE));
      }),
  },
  {
    what: 'announce the removal, and make it with the embedded sandbox after sandbox advance 49h',
    ...ABSENT,
    run: (team) =>
      announcedThen(team, async () => {
        await ada(team, on('sandbox', ['sandbox', 'advance', '49h']));
        return ada(team, on('sandbox', REMOVE));
      }),
  },
  {
    what: 'become the only operator of a sandbox, and pay with the live profile',
    ...UNSIGNED,
    run: async (team) => {
      await box(team);
      const { code, stderr } = await ada(team, on('box', operators('add', 'ada', '--generate')));
      if (code !== 0) throw new Error(stderr);
      return script(team, PAYOUT);
    },
  },
  {
    what: 'allow any amount in a sandbox, and pay with the live profile',
    ...UNSIGNED,
    run: async (team) => {
      await box(team);
      const { code, stderr } = await ada(team, on('box', operators('sign-above', 'off')));
      if (code !== 0) throw new Error(stderr);
      return script(team, PAYOUT);
    },
  },
  {
    what: 'change operators without a terminal, with a profile of a sandbox',
    ...NO_TERMINAL,
    isDocumented: true,
    run: async (team) => {
      await box(team);
      return script(team, on('box', operators('add', 'ada', '--generate')));
    },
  },
  {
    what: 'change operators of the embedded sandbox without a terminal',
    ...NO_TERMINAL,
    run: (team) => script(team, on('sandbox', operators('add', 'ada', '--generate'))),
  },
  {
    what: 'change the amounts of a sandbox without a terminal',
    ...NO_TERMINAL,
    run: async (team) => {
      await box(team);
      return script(team, on('box', operators('sign-above', 'CNGN 1')));
    },
  },
  {
    what: 'remove the second operator from a second configuration folder',
    ...UNSIGNED,
    isDocumented: true,
    run: async (team) => {
      await profile(team, 'main', BASE_URL, 'live', LIVE_KEY, 'second');
      return ada(team, on('main', operators('remove', 'bayo')), {}, 'second');
    },
  },
  {
    what: 'make the removal early from a second configuration folder',
    ...PENDING,
    run: (team) =>
      announcedThen(team, async () => {
        await profile(team, 'main', BASE_URL, 'live', LIVE_KEY, 'second');
        return ada(team, on('main', REMOVE), {}, 'second');
      }),
  },
  {
    what: 'make the removal from a second configuration folder, with a server of their own under the same profile name',
    ...OTHER,
    run: (team) =>
      announcedThen(team, async () => {
        await profile(team, 'main', OWN_URL, 'live', LIVE_KEY, 'second');
        ahead(team, OWN, LONG_MS);
        return ada(team, on('main', REMOVE), {}, 'second');
      }),
  },
  {
    what: 'use the sandbox of a second configuration folder',
    ...ABSENT,
    run: async (team) => {
      await box(team, 'second');
      return ada(team, on('box', REMOVE), {}, 'second');
    },
  },
  {
    what: 'make the removal with the clock of the host 49 hours ahead',
    ...PENDING,
    isDocumented: true,
    run: (team) => announcedThen(team, () => ada(team, REMOVE, { aheadMs: LONG_MS })),
  },
  {
    what: 'announce the removal with the clock of the host 49 hours behind',
    ...PENDING,
    run: async (team) => {
      await ada(team, REMOVE, { aheadMs: -LONG_MS });
      return ada(team, REMOVE);
    },
  },
  {
    what: 'make the removal with the clock of the host a year ahead',
    ...PENDING,
    run: (team) => announcedThen(team, () => ada(team, REMOVE, { aheadMs: 365 * 24 * HOUR_MS })),
  },
  {
    what: 'announce the removal with a server of their own, registered as the live service',
    ...OTHER,
    isDocumented: true,
    run: async (team) => {
      await own(team);
      return ada(team, on('own', REMOVE));
    },
  },
  {
    what: 'announce the removal, and make it with a server of their own whose clock is 49 hours ahead',
    ...OTHER,
    isDocumented: true,
    run: (team) =>
      announcedThen(team, async () => {
        await own(team);
        ahead(team, OWN, LONG_MS);
        return ada(team, on('own', REMOVE));
      }),
  },
  {
    what: 'pay through a server of their own with the live key',
    ...UNSIGNED,
    run: async (team) => {
      await own(team);
      return script(team, on('own', PAYOUT));
    },
  },
  {
    what: 'point the live profile to a server of their own',
    ...OTHER,
    run: (team) =>
      announcedThen(team, async () => {
        await ada(team, ['profiles', 'remove', 'main', '--yes']);
        await profile(team, 'main', OWN_URL, 'live', LIVE_KEY);
        ahead(team, OWN, LONG_MS);
        copyFileSync(team.file('kept-key'), join(secretsOf(team, 'ada'), 'main.operator-key'));
        return ada(team, on('main', REMOVE));
      }),
  },
  {
    what: 'name a server of their own in FIATRAIL_BASE_URL',
    ...same(2, 'NO_OPERATOR_KEY'),
    run: (team) => {
      ahead(team, OWN, LONG_MS);
      return ada(team, REMOVE, { env: { FIATRAIL_BASE_URL: OWN_URL, FIATRAIL_API_KEY: LIVE_KEY } });
    },
  },
  {
    what: 'make the removal while the service, as far as it can be seen, is 47 hours later',
    ...PENDING,
    run: (team) =>
      announcedThen(team, () => {
        ahead(team, HONEST, 47 * HOUR_MS);
        return ada(team, REMOVE, { aheadMs: LONG_MS });
      }),
  },
  {
    what: 'forge the time of the service alone, with the clock of the host as it is',
    ...PENDING,
    isDocumented: true,
    run: (team) =>
      announcedThen(team, () => {
        ahead(team, HONEST, LONG_MS);
        return ada(team, REMOVE);
      }),
  },
  {
    what: 'make the removal while the service does not say its time, and the host is 49 hours ahead',
    sqlite: [9, 'TIME_UNKNOWN'],
    postgres: [9, 'CHANGE_PENDING'],
    isDocumented: true,
    run: (team) =>
      announcedThen(team, () => {
        timeless(team);
        return ada(team, REMOVE, { aheadMs: LONG_MS });
      }),
  },
  {
    what: 'announce the removal while the service does not say its time',
    sqlite: [9, 'TIME_UNKNOWN'],
    run: (team) => {
      timeless(team);
      return ada(team, REMOVE);
    },
  },
  {
    what: 'use a time from a cache',
    sqlite: [9, 'TIME_UNKNOWN'],
    postgres: [9, 'CHANGE_PENDING'],
    run: (team) =>
      announcedThen(team, () => {
        timeless(team, { date: new Date(team.clock.now() + LONG_MS).toUTCString(), age: '60' });
        return ada(team, REMOVE, { aheadMs: LONG_MS });
      }),
  },
  {
    what: 'let the live service say the time of a sandbox',
    sqlite: [9, 'TIME_UNKNOWN'],
    postgres: [9, 'CHANGE_PENDING'],
    run: (team) =>
      announcedThen(team, () => {
        timeless(team, { date: '', [SANDBOX_CLOCK]: `${team.clock.now() + LONG_MS} ${LONG_MS}` });
        return ada(team, REMOVE, { aheadMs: LONG_MS });
      }),
  },
  {
    what: 'use a time that is no HTTP date',
    sqlite: [9, 'TIME_UNKNOWN'],
    postgres: [9, 'CHANGE_PENDING'],
    run: (team) =>
      announcedThen(team, () => {
        timeless(team, { date: new Date(team.clock.now() + LONG_MS).toISOString() });
        return ada(team, REMOVE, { aheadMs: LONG_MS });
      }),
  },
  {
    what: 'announce one change and make another one',
    ...PENDING,
    run: (team) => announcedThen(team, () => ada(team, without('sign-above', 'off'))),
  },
  {
    what: 'pay with a key of the account that the journal does not know',
    ...UNSIGNED,
    isDocumented: true,
    run: async (team) => {
      await rotated(team);
      return script(team, on('rotated', PAYOUT));
    },
  },
  {
    what: 'allow any amount for a key that the journal does not know',
    ...UNSIGNED,
    run: async (team) => {
      await rotated(team);
      return ada(team, on('rotated', operators('sign-above', 'off')));
    },
  },
  {
    what: 'add an operator to a key that the journal does not know',
    ...UNSIGNED,
    isDocumented: true,
    run: async (team) => {
      await rotated(team);
      return ada(team, on('rotated', operators('add', 'mallory', '--public-key', KEY)));
    },
  },
  {
    what: 'wait for a change of a key that the journal does not know',
    ...OTHER,
    run: async (team) => {
      await rotated(team);
      return ada(team, on('rotated', REMOVE));
    },
  },
  {
    what: 'wait for it with a server of their own',
    ...OTHER,
    run: async (team) => {
      await rotated(team, OWN_URL);
      ahead(team, OWN, LONG_MS);
      return ada(team, on('rotated', REMOVE));
    },
  },
  {
    what: 'pay with such a key in FIATRAIL_API_KEY',
    ...UNSIGNED,
    run: (team) => script(team, PAYOUT, { env: { FIATRAIL_BASE_URL: BASE_URL, FIATRAIL_API_KEY: OTHER_LIVE_KEY } }),
  },
  {
    what: 'sign a plan of their own from a second configuration with a copy of their key',
    ...same(9, 'SIGNED_BY_AUTHOR'),
    run: async (team) => {
      const path = await plan(team, 'ada');
      await profile(team, 'main', BASE_URL, 'live', LIVE_KEY, 'second');
      return ada(team, on('main', ['ops', 'sign', path]), {}, 'second');
    },
  },
  {
    what: 'sign a plan of a sandbox as one of the live account',
    ...same(2, 'OTHER_ACCOUNT'),
    run: async (team) => {
      await box(team);
      const path = team.file('box.json');
      await ada(team, on('box', [...PAYOUT, '--plan', path]));
      return ada(team, ['ops', 'sign', path]);
    },
  },
  {
    what: 'write the name of another user into a plan',
    ...CLAIMED,
    isDocumented: true,
    run: async (team) => script(team, ['ops', 'apply', await claiming(team, () => ({ user: 'cfo' }))]),
  },
  {
    what: 'have a second operator sign such a plan without looking',
    ...CLAIMED,
    run: async (team) => signedAndApplied(team, await claiming(team, () => ({ user: 'bayo' }))),
  },
  {
    what: 'write the name of another operator into a plan',
    ...CLAIMED,
    isDocumented: true,
    run: async (team) =>
      signedAndApplied(
        team,
        await claiming(team, ({ operator }) => ({ operator: operator && { ...operator, name: 'bayo' } })),
      ),
  },
  {
    what: 'write the key of the other operator into a plan',
    ...same(9, 'BAD_SIGNATURE'),
    run: async (team) => {
      const { stdout } = await ada(team, operators('list'));
      const bayo = JSON.parse(stdout).operators[1];
      const operator = { name: bayo.name, publicKey: bayo.publicKey };
      return script(team, ['ops', 'apply', await claiming(team, () => ({ user: 'bayo', operator }))]);
    },
  },
  {
    what: 'write a plan without an author’s key, which the other operator signed',
    ...UNSIGNED,
    run: async (team) => {
      const path = await claiming(team, () => ({ user: 'chidi', operator: null }));
      const { plan: content, hash } = contentOf(path);
      const unsigned = rewritten(team, path, () => ({ content, hash, signatures: [] }));
      return signedAndApplied(team, unsigned);
    },
  },
  {
    what: 'let the journal forget the account, with the controls of a sandbox on a server of their own',
    ...same(2, 'USAGE'),
    run: async (team) => {
      await own(team);
      return script(team, on('own', ['sandbox', 'reset']));
    },
  },
  {
    what: 'sign the head of the journal as an operator of a sandbox',
    ...same(9, 'SIGNER_UNKNOWN'),
    run: async (team) => {
      await box(team);
      const secret = join(secretsOf(team, 'ada'), 'box.operator-key');
      rmSync(secret);
      await ada(team, on('box', operators('add', 'bayo', '--generate')));
      const head = JSON.parse((await ada(team, ['ops', 'head'])).stdout);
      const own = { name: 'bayo', ...(await signingPairOf(new Secret(readFileSync(secret, 'utf8').trim()))) };
      const of = { sequence: BigInt(head.entry), hash: head.hash };
      const path = team.file('head.json');
      writeFileSync(path, JSON.stringify(await headFile(head.journal, of, own, team.clock.now())));
      return ada(team, ['ops', 'verify', '--head', path]);
    },
  },
  {
    what: 'apply a signed plan with a journal that other machines do not share',
    sqlite: [2, 'JOURNAL_NOT_SHARED'],
    isDocumented: true,
    run: async (team) => {
      await ada(team, ['profiles', 'journal', 'set', 'main', '--local', '--yes']);
      return signedAndApplied(team, await plan(team, 'ada'));
    },
  },
  {
    what: 'put back a copy of the journal from before the second operator',
    sqlite: [2, 'JOURNAL_CUT'],
    isAnotherJournal: true,
    isDocumented: true,
    run: async (team) => {
      rmSync(team.file('state'), { recursive: true });
      cpSync(team.file('before'), team.file('state'), { recursive: true });
      return script(team, PAYOUT);
    },
  },
  {
    what: 'delete the journal',
    sqlite: [2, 'JOURNAL_ELSEWHERE'],
    isAnotherJournal: true,
    run: async (team) => {
      rmSync(team.file('state'), { recursive: true });
      return script(team, PAYOUT);
    },
  },
  {
    what: 'choose another state folder',
    sqlite: [2, 'JOURNAL_ELSEWHERE'],
    run: (team) => script(team, PAYOUT, { env: { FIATRAIL_STATE_DIR: team.file('elsewhere') } }),
  },
];

/** Copies what an attack puts back later. */
export const beforeBoth = async (team: Team): Promise<void> => {
  await joinTeam(team, 'ada', 'bayo');
  await exchangeKeys(team, 'ada');
  if (existsSync(team.file('state'))) cpSync(team.file('state'), team.file('before'), { recursive: true });
  copyFileSync(join(secretsOf(team, 'ada'), 'main.operator-key'), team.file('kept-key'));
  await exchangeKeys(team, 'bayo');
  await agreeOn(team, 'ada', 'bayo', ['sign-above', 'CNGN 49999']);
};

/** How an attack ended, and what the live account has then, as its second operator sees it. */
export async function outcomeOf(team: Team, { run }: Attack) {
  const ran = await run(team);
  const shown = await team.run('bayo', [...operators('list'), '-o', 'json']);
  const listed = shown.code === 0 ? JSON.parse(shown.stdout) : undefined;
  return {
    end: endOf(ran),
    sent: team.service.sent.length,
    names: listed?.operators.map(({ name }: { name: string }) => name),
    signAbove: listed?.signAbove,
    text: ran.stderr,
  };
}

/** Ada alone makes two keys, from two configurations, before there is anybody else. */
export async function twoKeysOfOnePerson(team: Team): Promise<void> {
  await joinTeam(team, 'ada');
  await profile(team, 'main', BASE_URL, 'live', LIVE_KEY, 'second');
  rmSync(join(secretsOf(team, 'second'), 'main.operator-key'), { force: true });
  await ada(team, ['profiles', 'use', 'main'], {}, 'second');
  await ada(team, ['profiles', 'journal', 'set', 'main', '--sole-host', '--yes'], {}, 'second');
  await ada(team, operators('add', 'ada', '--generate'));
  await ada(team, operators('sign-above', 'CNGN 49999'));
  await ada(team, operators('add', 'second', '--generate'), {}, 'second');
}

/** What Ada writes of herself into a plan that her second key signs, and how signing and applying it end. */
export const CLAIMS: readonly (readonly [what: string, more: (author: Author) => Partial<Author>, End, End])[] = [
  ['the truth', () => ({}), ...both('SIGNER_ADDED_BY_AUTHOR')],
  ['another user', () => ({ user: 'cfo' }), ...both('AUTHOR_CHANGED')],
  ['another host', () => ({ host: 'host-9' }), ...both('SIGNER_ADDED_BY_AUTHOR')],
  ['another user on another host', () => ({ user: 'cfo', host: 'host-9' }), ...both('AUTHOR_CHANGED')],
  [
    'another operator’s name',
    ({ operator }) => ({ operator: operator && { ...operator, name: 'second' } }),
    ...both('AUTHOR_CHANGED'),
  ],
  ['no operator', () => ({ operator: null }), [9, 'SIGNED_BY_AUTHOR'], [9, 'SIGNER_ADDED_BY_AUTHOR']],
  ['no operator and another host', () => ({ host: 'host-9', operator: null }), [0, ''], [9, 'SIGNATURE_REQUIRED']],
];

/** Has Ada's second key sign a plan that her first one wrote, with `ops sign` and by hand. Returns how both and applying it ended. */
export async function signedBySelf(team: Team, more: (author: Author) => Partial<Author>): Promise<[Ran, Ran]> {
  const claimed = await claiming(team, more);
  const { plan: content, hash, signatures } = contentOf(claimed);
  const kept = content.author.operator ? signatures : [];
  const unsigned = { content, hash, signatures: kept };
  const path = rewritten(team, claimed, () => unsigned);
  const bySign = await ada(team, ['ops', 'sign', path], {}, 'second');
  const byHand = await signedWith(team, 'second', unsigned, 'signer');
  const applied = await script(team, ['ops', 'apply', rewritten(team, path, () => byHand)]);
  return [bySign, applied];
}

/** The exit code of a command, and the code of its error. */
export const endOf = ({ code, stdout, stderr }: Ran): End => [code, codeIn(`${stdout}${stderr}`)];
const codeIn = (text: string) => /"code": *"(\w+)"/.exec(text)?.[1] ?? '';
