import { copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Secret } from '../../src/base/secret.ts';
import { signingPairOf } from '../../src/crypto/signing.ts';
import type { Plan } from '../../src/engine/plans/plan.ts';
import { withSignature } from '../../src/engine/plans/signatures.ts';
import {
  agreeOn,
  approvers,
  BASE_URL,
  contentOf,
  exchangeKeys,
  joinTeam,
  LIVE_KEY,
  plan,
  type Ran,
  rehashed,
  rewritten,
  type Team,
} from './support.ts';

/**
 * What Ada tries alone with what she brings along: clocks, folders, servers, keys and files. The live account `main` has two approvers, Ada
 * and Bayo, who must both sign above 49,999 cNGN.
 */

export const HOUR_MS = 3_600_000;
export const LONG_MS = 49 * HOUR_MS;
export const HONEST = new URL(BASE_URL).hostname;
/** A server of Ada's. */
export const OWN_URL = 'https://own.test/v1';
export const OWN = new URL(OWN_URL).hostname;
/** A served sandbox, whose clock Ada moves. */
const BOX_URL = 'https://box.test/v1';
export const BOX = new URL(BOX_URL).hostname;
const BOX_KEY = 'sandbox_0123456789abcdef0123456789abcdef';
export const OTHER_LIVE_KEY = 'another-live-key-of-the-account';
export const KEY = '7c5b060f3da68214db34253df3444c55b38196011f5a122bfc7c2a5030347beb';

type More = NonNullable<Parameters<Team['run']>[2]>;

/** Runs a command as Ada at a terminal, where she agrees to whatever is asked. `person`: which of her configurations. */
export const ada = (team: Team, argv: readonly string[], more: More = {}, person = 'ada'): Promise<Ran> =>
  team.run(person, [...argv, '-o', 'json'], { isTerminal: true, agrees: true, user: 'ada', ...more });
/** The same without a terminal. */
export const script = (team: Team, argv: readonly string[], more: More = {}) =>
  ada(team, [...argv, '--yes'], { isTerminal: false, ...more });

export const on = (profile: string, argv: readonly string[]) => [...argv, '--profile', profile];
export const without = (...argv: readonly string[]) => [...approvers(...argv), '--without-approval'];
export const REMOVE = without('remove', 'bayo');

export const secretsOf = (team: Team, person: string) => team.file(`${person}/config/secrets`);

/** Adds a profile, with the approver key that the person has. */
export async function profile(team: Team, name: string, url: string, mode: string, key: string, person = 'ada') {
  const argv = ['profiles', 'add', name, '--base-url', url, '--mode', mode, '--key-stdin', '--yes'];
  const { code, stderr } = await ada(team, argv, { stdin: key, isTerminal: false }, person);
  if (code !== 0) throw new Error(stderr);
  mkdirSync(secretsOf(team, person), { recursive: true, mode: 0o700 });
  const to = join(secretsOf(team, person), `${name}.approver-key`);
  const from = join(secretsOf(team, person === 'bayo' ? 'bayo' : 'ada'), 'main.approver-key');
  if (existsSync(from) && from !== to) copyFileSync(from, to);
  await ada(team, ['ops', 'journal', 'verify', '--accept', '--yes', '--profile', name], {}, person);
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
export function timeless(team: Team, headers: Readonly<Record<string, string>> = { date: '' }): void {
  team.service.times[HONEST] = () => headers;
}

/** Announces the removal of Bayo, then runs what should make it. */
export async function announcedThen(team: Team, run: () => Promise<Ran>): Promise<Ran> {
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

/** Signs a plan with the approver key of a configuration. */
async function signedWith(team: Team, person: string, unsigned: Plan, role: 'author' | 'signer'): Promise<Plan> {
  const seed = readFileSync(join(secretsOf(team, person), 'main.approver-key'), 'utf8').trim();
  const pair = await signingPairOf(new Secret(seed));
  const { stdout } = await ada(team, approvers('list'));
  const { approvers: listed } = JSON.parse(stdout) as { approvers: { name: string; publicKey: string }[] };
  const name = listed.find(({ publicKey }) => publicKey === pair.publicKey)?.name ?? person;
  return withSignature(unsigned, { name, ...pair }, role, team.clock.now());
}

type Author = Plan['content']['author'];
export const claiming = (team: Team, more: (author: Author) => Partial<Author>) =>
  resigned(team, (content) => ({ ...content, author: { ...content.author, ...more(content.author) } }));

/** Writes a changed plan, has Bayo sign it without looking, and applies it. */
export async function signedAndApplied(team: Team, path: string): Promise<Ran> {
  const { plan: content, hash, signatures } = contentOf(path);
  const signed = await signedWith(team, 'bayo', { content, hash, signatures }, 'signer');
  return script(team, ['plans', 'apply', rewritten(team, path, () => signed)]);
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
  /** There is no list of approvers afterwards that could have been changed. */
  readonly isAnotherJournal?: boolean;
  readonly run: (team: Team) => Promise<Ran>;
}

const both = (code: string): readonly [End, End] => [
  [9, code],
  [9, code],
];

/** Copies what an attack puts back later. */
export const beforeBoth = async (team: Team): Promise<void> => {
  await joinTeam(team, 'ada', 'bayo');
  await exchangeKeys(team, 'ada');
  if (existsSync(team.file('state'))) cpSync(team.file('state'), team.file('before'), { recursive: true });
  copyFileSync(join(secretsOf(team, 'ada'), 'main.approver-key'), team.file('kept-key'));
  await exchangeKeys(team, 'bayo');
  await agreeOn(team, 'ada', 'bayo', ['approval-threshold', 'CNGN 49999']);
};

/** How an attack ended, and what the live account has then, as its second approver sees it. */
export async function outcomeOf(team: Team, { run }: Attack) {
  const ran = await run(team);
  const shown = await team.run('bayo', [...approvers('list'), '-o', 'json']);
  const listed = shown.code === 0 ? JSON.parse(shown.stdout) : undefined;
  return {
    end: endOf(ran),
    sent: team.service.sent.length,
    names: listed?.approvers.map(({ name }: { name: string }) => name),
    approvalThresholds: listed?.approvalThresholds,
    text: ran.stderr,
  };
}

/** Ada alone makes two keys, from two configurations, before there is anyone else. */
export async function twoKeysOfOnePerson(team: Team): Promise<void> {
  await joinTeam(team, 'ada');
  await profile(team, 'main', BASE_URL, 'live', LIVE_KEY, 'second');
  rmSync(join(secretsOf(team, 'second'), 'main.approver-key'), { force: true });
  await ada(team, ['profiles', 'use', 'main'], {}, 'second');
  await ada(team, ['profiles', 'journal', 'set', 'main', '--sole-host', '--yes'], {}, 'second');
  await ada(team, approvers('add', 'ada', '--generate'));
  await ada(team, approvers('approval-threshold', 'CNGN 49999'));
  await ada(team, approvers('add', 'second', '--generate'), {}, 'second');
}

/** What Ada writes of herself into a plan that her second key signs, and how signing and applying it end. */
export const CLAIMS: readonly (readonly [what: string, more: (author: Author) => Partial<Author>, End, End])[] = [
  ['the truth', () => ({}), ...both('APPROVER_ADDED_BY_AUTHOR')],
  ['another user', () => ({ user: 'cfo' }), ...both('AUTHOR_CHANGED')],
  ['another host', () => ({ host: 'host-9' }), ...both('APPROVER_ADDED_BY_AUTHOR')],
  ['another user on another host', () => ({ user: 'cfo', host: 'host-9' }), ...both('AUTHOR_CHANGED')],
  [
    'another approver’s name',
    ({ approver }) => ({ approver: approver && { ...approver, name: 'second' } }),
    ...both('AUTHOR_CHANGED'),
  ],
  ['no approver', () => ({ approver: null }), [9, 'APPROVED_BY_AUTHOR'], [9, 'APPROVER_ADDED_BY_AUTHOR']],
  ['no approver and another host', () => ({ host: 'host-9', approver: null }), [0, ''], [9, 'APPROVAL_REQUIRED']],
];

/** Has Ada's second key sign a plan that her first one wrote, with `plans approve` and by hand. Returns how both and applying it ended. */
export async function signedBySelf(team: Team, more: (author: Author) => Partial<Author>): Promise<[Ran, Ran]> {
  const claimed = await claiming(team, more);
  const { plan: content, hash, signatures } = contentOf(claimed);
  const kept = content.author.approver ? signatures : [];
  const unsigned = { content, hash, signatures: kept };
  const path = rewritten(team, claimed, () => unsigned);
  const bySign = await ada(team, ['plans', 'approve', path], {}, 'second');
  const byHand = await signedWith(team, 'second', unsigned, 'signer');
  const applied = await script(team, ['plans', 'apply', rewritten(team, path, () => byHand)]);
  return [bySign, applied];
}

/** The exit code of a command, and the code of its error. */
export const endOf = ({ code, stdout, stderr }: Ran): End => [code, codeIn(`${stdout}${stderr}`)];
const codeIn = (text: string) => /"code": *"(\w+)"/.exec(text)?.[1] ?? '';
