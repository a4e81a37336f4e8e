import { type Profile, serviceNameOf } from '../account/profile.ts';
import { CliError } from '../base/errors.ts';
import { Secret } from '../base/secret.ts';
import type { World } from '../base/world.ts';
import type { Reply } from '../client/client.ts';
import { encodeRequest } from '../client/codec.ts';
import { type ReadyRequest, uncheckedRequest, validRequest } from '../client/request.ts';
import { type Endpoint, effectOf, type RequestOf } from '../contract/endpoint.ts';
import type { MoveTerms } from '../contract/moves.ts';
import { redact } from '../contract/redact.ts';
import { parseExactJson } from '../money/decimal.ts';
import { checkOptions } from '../present/present.ts';
import type { Column, Result, ResultShape } from '../present/result.ts';
import { titleOf } from '../present/text.ts';
import type { AccountOptions, Notices } from './connection/notices.ts';
import type { AccountRules, IdempotencyKeyUse } from './rules/account-rules.ts';

/** How a request is made, besides how it is sent. */
export interface RequestOptions {
  /** Leaves validation to the service, for `fiatrail api`. */
  readonly unchecked?: boolean;
  /** What the command prints, if not the response: its shape, or field names. */
  readonly prints?: ResultShape | readonly string[];
  /** A read that precedes a change; a dry run makes it too, in order to show the change. */
  readonly isBeforehand?: boolean;
  /** What a change only refers to, for the rules. */
  readonly terms?: MoveTerms | undefined;
  /** A change that the journal has recorded already, and that rules allowed then. */
  readonly isRecorded?: boolean;
  /** Of the command, for the rules. */
  readonly idempotencyKey?: IdempotencyKeyUse;
}

/** The parts of an account that a request needs before it is sent. */
interface PreparingAccount {
  readonly profile: Profile;
  readonly globals: AccountOptions;
  readonly world: Pick<World, 'env'>;
  readonly rules: AccountRules;
  readonly command: { inputName(field: string): string };
}

/** Validates a request before anything is asked or sent. Throws CliError usage, and DryRun in a dry run. */
export async function prepareRequest<E extends Endpoint>(
  { profile, globals, world, command, rules }: PreparingAccount,
  endpoint: E,
  input: RequestOf<E>,
  {
    unchecked,
    prints = shapeOfResponse(endpoint),
    isBeforehand,
    isRecorded,
    terms,
    idempotencyKey,
  }: RequestOptions = {},
): Promise<ReadyRequest<E>> {
  const request = unchecked ? uncheckedRequest(endpoint, input) : validRequest(endpoint, input, command.inputName);
  if (globals.dryRun && !isBeforehand) {
    const verdicts = await rules.tested(endpoint, input, { terms, idempotencyKey });
    throw verdicts
      ? new DryRun({ data: { profile: profile.name, rules: verdicts } })
      : dryRunOf(profile, world.env, endpoint, input);
  }
  if (effectOf(endpoint, input) === 'read') return request;
  if (globals.present.isQueryRequired)
    throw new CliError('usage', '--query-required is for commands that only read, and this one changes something', {
      hint: 'omit it: nothing was sent',
    });
  await checkOptions(isNames(prints) ? { names: prints } : prints, globals.present);
  if (!isRecorded) await rules.require(endpoint, input, { terms, idempotencyKey });
  return request;
}

const isNames = (prints: ResultShape | readonly string[]): prints is readonly string[] => Array.isArray(prints);

export const shapeOfResponse = ({ response, nests, lists }: Endpoint) => ({
  schema: response(),
  ...(nests ? { nests } : {}),
  ...(lists ? { lists } : {}),
});

/** Thrown to end a dry run where a request would have been sent; `result` describes the request. A plan that was written ends its command too. */
export class DryRun extends Error {
  override name = 'DryRun';
  readonly result: Result;
  /** Whether it is printed whole, because its fields are those of the request. */
  readonly isWhole: boolean;

  constructor(result: Result, isWhole = true) {
    super('dry run');
    this.result = result;
    this.isWhole = isWhole;
  }
}

/** Ends the dry run of a command that only changes this machine, and shows the change. */
export function endDryRun(
  { globals }: { readonly globals: { readonly dryRun: boolean } },
  change: Readonly<Record<string, unknown>>,
): void {
  if (globals.dryRun) throw new DryRun({ data: { dryRun: true, ...change } });
}

/** Describes a request that a dry run does not send. Its secrets are redacted, so it is encoded without validation. */
function described(profile: Profile, env: World['env'], endpoint: Endpoint, input: unknown) {
  const redacted = uncheckedRequest(endpoint, redact(endpoint.request(), input));
  const { method, url, body } = encodeRequest(redacted, {
    baseUrl: profile.baseUrl,
    apiKey: new Secret(''),
    serviceName: serviceNameOf(profile, env),
  });
  return { method, url, body: body ? parseExactJson(body) : null };
}

const headOf = ({ name, mode }: Profile) => ({ dryRun: true, profile: name, mode });

/** Describes the one request of a dry run. */
function dryRunOf(profile: Profile, env: World['env'], endpoint: Endpoint, input: unknown): DryRun {
  return new DryRun({ data: { ...headOf(profile), ...described(profile, env, endpoint, input) } });
}

/** One of several requests to the same endpoint, with the fields that are shown next to its body. */
interface DryPart {
  readonly input: unknown;
  readonly more: Readonly<Record<string, unknown>>;
}

interface DryParts {
  /** The field that lists the requests. */
  readonly name: string;
  /** The columns of its table. */
  readonly columns: readonly Column[];
  /** The fields that describe all requests together. */
  readonly together: Readonly<Record<string, unknown>>;
  readonly parts: readonly DryPart[];
}

/** Describes several requests of a dry run: what they have in common, and a list of them. */
export function dryRunOfParts(
  profile: Profile,
  env: World['env'],
  endpoint: Endpoint,
  { name, columns, together, parts }: DryParts,
): DryRun {
  const all = parts.map(({ input, more }) => ({ more, ...described(profile, env, endpoint, input) }));
  const { method = null, url = null } = all[0] ?? {};
  const list = all.map(({ more, body }) => ({ ...more, body }));
  const data = { ...headOf(profile), method, url, ...together, [name]: list };
  const shown = Object.keys(data).map((field) => ({ field, title: titleOf(field) }));
  return new DryRun({ data, columns: shown.map((each) => (each.field === name ? { ...each, columns } : each)) });
}

/** Returns a text that finds one request among all that the service shows: `[fr-1a2b3c4d]`. */
export function newTag({ world }: { readonly world: Pick<World, 'ids'> }): string {
  return `[fr-${Buffer.from(world.ids.bytes(4)).toString('hex')}]`;
}

/** A response that is uncertain throughout is said to be so once it is clear. */
const MAX_SHOWN = 5;

/** Warns of what is wrong with a usable response. */
export async function warnOf(
  { notices: { say } }: { readonly notices: Pick<Notices, 'say'> },
  { problems, uncertain = [] }: Reply<unknown>,
  isRead: boolean,
): Promise<void> {
  for (const sentence of uncertain.slice(0, MAX_SHOWN)) await say(`warning: ${sentence}`);
  if (uncertain.length > MAX_SHOWN) await say(`warning: ${uncertain.length - MAX_SHOWN} more amounts are uncertain`);
  if (problems.length === 0) return;
  const where = problems.slice(0, 5).join(', ');
  const warning = isRead
    ? `the response lacks ${where}`
    : `the response does not match the contract at ${where}; it is treated as accepted`;
  await say(`warning: ${warning}`);
}
