import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Exchange, HttpRequest, HttpResponse, World } from '../../src/base/world.ts';
import type { ApproverList, ListedApprover } from '../../src/engine/plans/approver-list.ts';
import { planText } from '../../src/engine/plans/file.ts';
import { hashOf, type Plan } from '../../src/engine/plans/plan.ts';
import { main } from '../../src/main.ts';
import { temporaryFolder } from '../support/built.ts';
import { success } from '../support/exchange.ts';
import { copyOf, type Restore } from '../support/folder-copy.ts';
import { firstPlace, type IdPlace, idsFrom } from '../support/ids.ts';
import { type JournalRow, journalRows } from '../support/journal.ts';
import { copiedJournal, type Databases } from '../support/postgres.ts';
import { type Answer, dated, fakeClock, fakeHost, fakeWorld } from '../support/world.ts';

/** What the service says; a test changes it between a plan and its application. */
export interface Service {
  feeKobo: number;
  accountName: string;
  balance: string;
  /** The response to a payout. */
  payout: (request: HttpRequest) => HttpResponse | Promise<HttpResponse>;
  /** Responses that replace those below, by path. */
  readonly instead: Record<string, HttpResponse>;
  /** The requests that move money. */
  readonly sent: HttpRequest[];
  /** The headers with which a host says its time, once they are not those of the team's clock. */
  readonly times: Record<string, () => HttpResponse['headers']>;
  /** Happens before the response to a path. */
  meanwhile?: (path: string, request: HttpRequest) => Promise<void>;
}

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

interface RunOptions {
  readonly answers?: readonly Answer[];
  /** Given with answers. */
  readonly isTerminal?: boolean;
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** The user of the machine, if it is not the person of that name: one who has two configurations. */
  readonly user?: string;
  /** A person at the terminal agrees to whatever is asked. */
  readonly agrees?: boolean;
  /** Happens while that question is open. */
  readonly asked?: () => Promise<void>;
  /** How far the clock of the machine is ahead of the service's. */
  readonly aheadMs?: number;
  /** The name of the machine, if it is not the team's, with a state folder of its own. */
  readonly host?: string;
  readonly runProgram?: World['runProgram'];
}

/** Several people with profiles of one account, on one machine with one journal. */
export interface Team {
  readonly service: Service;
  readonly folder: string;
  readonly clock: ReturnType<typeof fakeClock>;
  /** Runs a command line as a person. */
  run(person: string, argv: readonly string[], options?: RunOptions): Promise<Ran>;
  /** A file in the team's folder. */
  file(name: string): string;
  /** The operations that move money. */
  operations(): JournalRow[];
}

export const LIVE_KEY = 'a-live-key-nobody-may-see';
export const BASE_URL = 'https://service.test/v1';
export const PAYOUT_ID = '0198c1f2-5d0e-7cc3-98a1-0a54b2f0b1de';

export const yes = (asks: string): Answer => ({ kind: 'confirm', asks, says: true });
export const no = (asks: string): Answer => ({ kind: 'confirm', asks, says: false });

/** The amount of a payout, in cNGN, with every digit. */
const cngnIn = ({ body = '' }: HttpRequest) => {
  const [, base = '0'] = /"amount":(\d+)/.exec(body) ?? [];
  return `${base.slice(0, -6) || '0'}.${base.slice(-6).padStart(6, '0')}`;
};

function fakeService(): { service: Service; network: Exchange } {
  const service: Service = {
    feeKobo: 7_500,
    accountName: 'ADA OBI',
    balance: '500000.000000',
    payout: (request) => success({ requestId: PAYOUT_ID, amount: cngnIn(request), status: 'pending' }),
    instead: {},
    sent: [],
    times: {},
  };
  const answers: Readonly<Record<string, (request: HttpRequest) => HttpResponse | Promise<HttpResponse>>> = {
    '/getbankaccounts': () =>
      success({ accounts: [{ accountName: service.accountName, accountNumber: '0123456789', bankName: 'GTB' }] }),
    '/balance/multi': () => success({ totalBalance: service.balance, token: 'CNGN' }),
    '/fees/platform/preview': () => success({ result: { finalFee: service.feeKobo } }),
    '/initiateofframp': (request) => service.payout(request),
    // The service's time, and what its list had before.
    '/getplatformpublickey': () => success({ publicKey: 'ab'.repeat(32) }),
    '/payouts': () => success({ payouts: [] }),
    '/getofframpstatus': () => success({ requestId: PAYOUT_ID, status: 'completed', amount: 50_000 }),
  };
  const network: Exchange = async (request) => {
    const { pathname, hostname } = new URL(request.url);
    const path = pathname.replace('/v1', '');
    await service.meanwhile?.(path, request);
    if (path === '/initiateofframp') service.sent.push(request);
    const answer = service.instead[path] ?? (await answers[path]?.(request));
    if (!answer) throw new Error(`unexpected request: ${path}`);
    return { ...answer, headers: { ...answer.headers, ...service.times[hostname]?.() } };
  };
  return { service, network };
}

/** Someone who agrees to whatever is asked. */
const agreeing =
  (asked = async () => {}): World['prompter'] =>
  async () => {
    const refuse = async (question: string) => {
      throw new Error(`unexpected prompt: ${question}`);
    };
    const confirm = async () => {
      await asked();
      return true;
    };
    return { confirm, text: refuse, secret: refuse, select: refuse, search: refuse };
  };

/** Opens a team. `more`: variables of everyone's environment, such as that of a shared journal. */
export const openTeam = (more: Readonly<Record<string, string>> = {}): Team => teamFrom(firstPlace(), undefined, more);

/** A team whose ids continue from `place`, at a time. */
function teamFrom(place: IdPlace, nowMs?: number, more: Readonly<Record<string, string>> = {}): Team {
  const folder = temporaryFolder(onTestFinished);
  const { service, network } = fakeService();
  const [clock, ids] = [fakeClock(nowMs), idsFrom(place)];
  return {
    service,
    folder,
    clock,
    file: (name) => join(folder, name),
    operations: () => journalRows(join(folder, 'state')).filter(({ endpoint }) => endpoint.startsWith('transactions')),
    run: async (person, argv, options = {}) => {
      const {
        answers = [],
        isTerminal = answers.length > 0,
        stdin = '',
        env = {},
        user = person,
        aheadMs = 0,
        host: hostName,
        runProgram,
      } = options;
      const places = {
        FIATRAIL_STATE_DIR: join(folder, hostName === undefined ? 'state' : `state-${hostName}`),
        FIATRAIL_CONFIG_DIR: join(folder, person, 'config'),
      };
      const host = { ...fakeHost(), user, ...(hostName === undefined ? {} : { name: hostName }) };
      const exchange = dated(network, clock);
      const made = fakeWorld({
        network: exchange,
        host,
        answers,
        isTerminal,
        ...(runProgram ? { runProgram } : {}),
        stdin,
        env: { ...places, ...env, ...more },
        clock: { ...clock, now: () => clock.now() + aheadMs },
      });
      const prompter = options.agrees ? agreeing(options.asked) : made.prompter;
      const world = { ...made, ids, prompter, cwd: folder };
      const code = await main(argv, world);
      return { code, stdout: made.stdout.text(), stderr: made.stderr.text() };
    },
  };
}

/** How a team begins: it runs the commands, and returns what the tests need to know of them, such as public keys. */
type Beginning<T> = (team: Team) => Promise<T>;

/** What a beginning left, when it ran for the first time. */
interface Begun {
  readonly restore: Restore;
  readonly place: IdPlace;
  readonly nowMs: number;
  readonly made: unknown;
  readonly journals: Databases | undefined;
  readonly url: string | undefined;
}

/** A team, what its beginning returned, and the URL of its journal if that is on a server. */
interface Opened<T> {
  readonly team: Team;
  readonly made: T;
  readonly url: string | undefined;
}

const begun = new Map<Beginning<unknown>, Begun>();

/**
 * Opens a team as a beginning leaves it. The beginning runs once; later teams are copies with the same keys. With `journals`, its journal is
 * on a server.
 */
export async function openTeamAfter<T>(beginning: Beginning<T>, journals?: Databases): Promise<Opened<T>> {
  const before = begun.get(beginning);
  const known = before?.journals === journals ? before : undefined;
  const place = known ? { ...known.place } : firstPlace();
  const url = known?.url && journals ? copiedJournal(journals, known.url) : journals?.newDatabase();
  const team = teamFrom(place, known?.nowMs, url === undefined ? {} : { FIATRAIL_JOURNAL_URL: url });
  if (known) {
    known.restore(team.folder);
    return { team, made: known.made as T, url };
  }
  const made = await beginning(team);
  const left = { restore: copyOf(team.folder), place: { ...place }, nowMs: team.clock.now(), made };
  begun.set(beginning, { ...left, journals, url: url && journals?.newDatabase(url) });
  return { team, made, url };
}

/** Two people who have joined, the authors and the signers of most plans. */
export const twoPeople: Beginning<void> = (team) => joinTeam(team, 'ada', 'bayo');

/** Adds the live profile `main` for people, and makes it their default. */
export async function joinTeam(team: Team, ...people: readonly string[]): Promise<void> {
  for (const person of people) {
    const added = ['profiles', 'add', 'main', '--base-url', BASE_URL, '--mode', 'live', '--key-stdin'];
    const { code, stderr } = await team.run(person, added, { stdin: LIVE_KEY });
    if (code !== 0) throw new Error(stderr);
    await team.run(person, ['profiles', 'use', 'main']);
    // The first journal of a live account is confirmed once.
    const confirmed = await team.run(person, ['ops', 'journal', 'verify', '--accept', '--yes', '-q']);
    if (confirmed.code !== 0) throw new Error(confirmed.stderr);
    // Their journal is a file, and nobody applies plans elsewhere.
    await team.run(person, ['profiles', 'journal', 'set', 'main', '--sole-host', '--yes', '-q']);
  }
}

/** Makes keys for two people, each of whom adds their own to the list in the journal. Returns the public keys. */
export async function exchangeKeys(team: Team, ...people: readonly string[]): Promise<Record<string, string>> {
  const keys: Record<string, string> = {};
  for (const person of people) {
    const made = await team.run(person, ['profiles', 'approvers', 'add', person, '--generate', '-o', 'json'], {
      answers: [yes(`approver ${person}`)],
    });
    keys[person] = JSON.parse(made.stdout).publicKey;
  }
  return keys;
}

/** The words of a command that changes the approvers, or the amounts that need a signature. */
export const approvers = (...[verb = '', ...rest]: readonly string[]): string[] =>
  verb === 'approval-threshold' ? ['profiles', verb, 'set', ...rest] : ['profiles', 'approvers', verb, ...rest];

/** Makes a change of approvers that one person asks for and another one signs. Returns how applying it ended. */
export async function agreeOn(team: Team, asker: string, signer: string, argv: readonly string[]): Promise<Ran> {
  const path = team.file(`change-${readdirSync(team.folder).length}.json`);
  const steps: readonly (readonly [string, readonly string[], string[]])[] = [
    [asker, [...approvers(...argv), '--plan', path], []],
    [signer, ['plans', 'approve', path], ['Approve the plan']],
    [asker, ['plans', 'apply', path], ['Continue?']],
  ];
  let last: Ran | undefined;
  for (const [person, line, asked] of steps) {
    last = await team.run(person, line, { answers: asked.map(yes) });
    if (last.code !== 0) throw new Error(`${line.join(' ')}: ${last.stderr}`);
  }
  if (!last) throw new Error('nothing ran');
  return last;
}

/** The list of an account with approvers. */
export const listOf = (listed: readonly ListedApprover[]): ApproverList => ({
  approvers: listed,
  approvalThresholds: [],
  pending: null,
  accounts: [],
  isOwn: true,
  needsAnother: listed.length > 1,
});

export async function addKey(team: Team, person: string, other: string, key: string): Promise<void> {
  const argv = ['profiles', 'approvers', 'add', other, '--public-key', key];
  const { code, stderr } = await team.run(person, argv, { answers: [yes(`approver ${other}`)] });
  if (code !== 0) throw new Error(stderr);
}

/** Rewrites a plan as its author could: its hash and its form are right. Returns the path of the new file. */
export function rewritten(team: Team, path: string, change: (plan: Plan) => Plan): string {
  const { plan: content, hash, signatures } = contentOf(path);
  const other = team.file('rewritten.json');
  writeFileSync(other, planText(change({ content, hash, signatures })), { mode: 0o600 });
  return other;
}

export function rehashed(plan: Plan): Plan {
  return { ...plan, hash: hashOf(plan.content) };
}

/** A payout of 50,000 cNGN. */
export const PAYOUT = ['payout', 'create', '--amount', '50000', '--to', 'bank-1'];

/** Writes a plan of a payout, and returns its path. */
export async function plan(team: Team, person: string, name = 'plan.json', ...more: readonly string[]) {
  const path = team.file(name);
  const { code, stderr } = await team.run(person, [...PAYOUT, '--plan', path, ...more]);
  if (code !== 0) throw new Error(stderr);
  return path;
}

// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the file has
export const contentOf = (path: string): any => JSON.parse(readFileSync(path, 'utf8'));
