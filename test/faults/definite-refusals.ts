import { rmSync } from 'node:fs';
import type { Exchange, HttpRequest, HttpResponse } from '../../src/base/world.ts';
import { type Endpoint, type Refusal, refusalsOf } from '../../src/contract/endpoint.ts';
import { endpoints } from '../../src/contract/endpoints/index.ts';
import { main } from '../../src/main.ts';
import { html, json } from '../support/exchange.ts';
import { journalRows } from '../support/journal.ts';
import { type Beginning, openSandbox } from '../support/sandbox.ts';
import { fakeClock, fakeWorld } from '../support/world.ts';
import {
  furnish,
  furnishOrder,
  GROUPS,
  type Group,
  type Json,
  type Place,
  TERSE_GROUPS,
  type Terms,
} from './money-groups.ts';

export const STATUSES = [200, 201, 400, 401, 403, 404, 408, 409, 422, 429, 500, 502, 503, 504] as const;

/** How an answer says no. */
interface Envelope {
  readonly name: string;
  /** Whether it proves, under a 2xx or a 4xx but 429, that nothing was done. */
  readonly isDefinite: boolean;
  /** Its body; undefined for HTML. */
  readonly body: object | '' | undefined;
}

const SAID = { status: 'Error', message: 'The service says no' };

const GENERAL: readonly Envelope[] = [
  { name: '05 INTERNAL_ERROR', isDefinite: false, body: { ...SAID, response_code: '05', error: 'INTERNAL_ERROR' } },
  { name: '05 of another endpoint', isDefinite: false, body: { ...SAID, response_code: '05', error: 'NOT_DECLARED' } },
  {
    name: '05 in a sentence',
    isDefinite: false,
    body: { ...SAID, response_code: '05', message: 'INSUFFICIENT_BALANCE' },
  },
  { name: '01 INTERNAL_ERROR', isDefinite: false, body: { ...SAID, response_code: '01', error: 'INTERNAL_ERROR' } },
  { name: 'INTERNAL_ERROR without a code', isDefinite: false, body: { success: false, error: 'INTERNAL_ERROR' } },
  { name: '04', isDefinite: false, body: { ...SAID, response_code: '04', data: { retry_after: 0 } } },
  { name: 'HTTP status as code', isDefinite: false, body: { ...SAID, code: 400 } },
  { name: 'no code', isDefinite: false, body: { success: false, message: 'The service says no' } },
  { name: 'HTML', isDefinite: false, body: undefined },
  { name: 'empty', isDefinite: false, body: '' },
];

/** Each declared refusal without a name, and those with code 05 with their name too. */
function declared({ code, name }: Refusal): readonly Envelope[] {
  const unnamed = { ...SAID, response_code: code, error: 'It cannot be done' };
  if (code === '04') return [];
  if (code !== '05') return [{ name: `${code} for ${name}`, isDefinite: true, body: unnamed }];
  const named: Envelope = { name: `05 ${name}`, isDefinite: true, body: { ...unnamed, error: name } };
  return [{ name: '05 unnamed', isDefinite: false, body: unnamed }, ...(name === 'INTERNAL_ERROR' ? [] : [named])];
}

function envelopesOf(endpoint: Endpoint): readonly Envelope[] {
  const all = [...refusalsOf(endpoint).flatMap(declared), ...GENERAL];
  return [...new Map(all.map((each) => [each.name, each])).values()];
}

/** A command of an endpoint that moves money. */
interface MoneyCommand {
  readonly endpoint: Endpoint;
  readonly group: Group;
  readonly argv: (terms: Terms) => readonly string[];
}

const NO_TERMS: Terms = {
  userId: '',
  managedWallet: '',
  onrampWallet: '',
  bankAccountId: '',
  bank: '',
  wallet: '',
  destination: '',
  orderId: '',
  more: 0,
  isOpposite: false,
  tag: '',
  bvn: '',
};

const [FX] = GROUPS.filter(({ name }) => name === 'fx');

/** The command lines that no group of the campaigns has. */
const OTHERS: Readonly<Record<string, string>> = {
  'fx.create-limit-order':
    'api POST /fx/limit-order -f pair=CNGN-USDC -f side=buy -f price=1300 -f spread=0.5 -f minAmount=1000 -f maxAmount=5000',
};

/** One command of each endpoint that moves money. */
export const MONEY_COMMANDS: readonly MoneyCommand[] = endpoints
  .filter(({ effect }) => effect === 'money')
  .map((endpoint) => {
    const other = OTHERS[endpoint.id];
    if (FX && other !== undefined) return { endpoint, group: FX, argv: () => other.split(' ') };
    const argvIn = (group: Group) => (terms: Terms) => group.like({ endpoint: endpoint.id, terms, argv: [] }, {}).argv;
    const group = [...GROUPS, ...TERSE_GROUPS].find((each) => argvIn(each)(NO_TERMS).length > 1);
    if (!group) throw new Error(`no command for ${endpoint.id}`);
    return { endpoint, group, argv: argvIn(group) };
  });

/** One answer to one request that moves money, which was done or not. */
export interface Cell {
  readonly command: MoneyCommand;
  readonly status: (typeof STATUSES)[number];
  readonly envelope: Envelope;
  readonly isMade: boolean;
}

/** Every cell: each command, HTTP status and envelope, with the movement made and not made. */
export const cells = (): readonly Cell[] =>
  MONEY_COMMANDS.flatMap((command) =>
    envelopesOf(command.endpoint).flatMap((envelope) =>
      STATUSES.flatMap((status) => [true, false].map((isMade) => ({ command, status, envelope, isMade }))),
    ),
  );

export const nameOf = ({ command, status, envelope, isMade }: Cell) =>
  `${command.endpoint.id}, HTTP ${status}, ${envelope.name}, ${isMade ? 'made' : 'not made'}`;

/** Whether the answer proves that nothing was done, by the rule and not by the program. */
export function isBelieved({ status, envelope }: Cell): boolean {
  if (status === 429) return envelope.name === '04';
  return status < 500 && envelope.isDefinite;
}

export interface Ended {
  readonly exit: number;
  /** The state of the operation in the journal. */
  readonly state: string | undefined;
  readonly movements: number;
  readonly requests: number;
  readonly rerunExit: number;
  readonly movementsAfterRerun: number;
}

const BASE_URL = 'http://127.0.0.1:9/v1';

export interface Ground {
  readonly beginning: Beginning;
  readonly place: Place;
}

const answerOf = ({ status, envelope: { body } }: Cell): HttpResponse =>
  body === undefined ? html(status) : json(status, body === '' ? '' : JSON.stringify(body));

/** A sandbox, and a program on a machine of its own that uses it. `between` may answer a request instead. */
async function machine(
  beginning: Beginning | undefined,
  between: (request: HttpRequest, perform: () => Promise<HttpResponse>) => Promise<HttpResponse>,
) {
  const box = await openSandbox(beginning ? { beginning } : {});
  const exchange: Exchange = (request) =>
    between(request, async () => {
      const answer = await box.sandbox.fetch(request, { apiKey: request.headers['x-api-key'], address: '127.0.0.1' });
      return { ...answer, headers: { ...answer.headers, ...box.sandbox.timeHeaders() } };
    });
  const env = { FIATRAIL_BASE_URL: BASE_URL, FIATRAIL_API_KEY: box.apiKey };
  const clock = { ...fakeClock(), now: () => box.clock.now() };
  const first = fakeWorld({ network: exchange, env, clock });
  const run = async (argv: readonly string[]) => {
    const world = fakeWorld({ network: exchange, env: { ...first.env, ...env }, clock });
    const exit = await main(argv, { ...world, homeDir: first.homeDir, ids: first.ids });
    rmSync(world.homeDir, { recursive: true, force: true });
    return { exit, stdout: world.stdout.text(), stderr: world.stderr.text() };
  };
  const close = async () => {
    await box.close();
    rmSync(first.homeDir, { recursive: true, force: true });
  };
  return { box, run, close, stateDir: first.stateDir };
}

/** Makes the sandbox in which every cell begins: it has all that the commands name. */
export async function ground(): Promise<Ground> {
  const { box, run, close } = await machine(undefined, (_, perform) => perform());
  const toJson: Json = async (words) => {
    const { exit, stdout, stderr } = await run([...words, '--yes', '-q', '-o', 'json']);
    if (exit !== 0) throw new Error(`${words.join(' ')}: exit ${exit}: ${stderr}`);
    return JSON.parse(stdout) as Record<string, unknown>;
  };
  const place = await furnish(toJson, async () => box.clock.pass(60_000));
  const orderId = await furnishOrder(toJson);
  box.clock.pass(60_000);
  const beginning = box.copy();
  await close();
  return { beginning, place: { ...place, orderId } };
}

/** Runs a command whose request gets the answer of a cell, and runs it again with nothing between. */
export async function ran(cell: Cell, { beginning, place }: Ground): Promise<Ended> {
  const { command, isMade } = cell;
  let isBetween = true;
  let requests = 0;
  const path = command.endpoint.path;
  const { box, run, close, stateDir } = await machine(beginning, async (request, perform) => {
    const isOurs = request.method === command.endpoint.method && new URL(request.url).pathname === `/v1${path}`;
    if (!isBetween || !isOurs) return perform();
    requests += 1;
    if (isMade) await perform();
    return answerOf(cell);
  });
  const work = () =>
    box.inside(({ store }) => store.all<{ id: string }>(command.group.work).map(({ id }) => id), 'read');
  const before = new Set(await work());
  const movements = async () => (await work()).filter((id) => !before.has(id)).length;
  const key = command.group.hasKeys ? ['--once', 'k'] : [];
  const argv = [...command.argv({ ...NO_TERMS, ...place }), ...key, '--yes', '-q'];
  try {
    const { exit } = await run(argv);
    const state = journalRows(stateDir).at(-1)?.state;
    const made = await movements();
    isBetween = false;
    const rerun = await run(argv);
    return { exit, state, movements: made, requests, rerunExit: rerun.exit, movementsAfterRerun: await movements() };
  } finally {
    await close();
  }
}
