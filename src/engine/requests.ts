import type { Profile } from '../account/profile.ts';
import { CliError } from '../base/errors.ts';
import type { World } from '../base/world.ts';
import { type ReadyRequest, uncheckedRequest, validRequest } from '../client/request.ts';
import { type Endpoint, effectOf, type RequestOf } from '../contract/endpoint.ts';
import { checkOptions } from '../present/present.ts';
import type { ResultShape } from '../present/result.ts';
import { DryRun, dryRunOf } from './dry-run.ts';
import type { AccountOptions } from './notices.ts';
import type { AccountRules } from './rules/account-rules.ts';

/** How a request is made, besides how it is sent. */
export interface RequestOptions {
  /** Leaves validation to the service, for `fiatrail api`. */
  readonly unchecked?: boolean;
  /** What the command prints, if not the response: its shape, or field names. */
  readonly prints?: ResultShape | readonly string[];
  /** A read that precedes a change; a dry run makes it too, in order to show the change. */
  readonly isBeforehand?: boolean;
  /** A change that the journal has recorded already, and that rules allowed then. */
  readonly isRecorded?: boolean;
}

/** The parts of an account that a request needs before it is sent. */
interface PreparingSession {
  readonly profile: Profile;
  readonly globals: AccountOptions;
  readonly world: Pick<World, 'env'>;
  readonly rules: AccountRules;
  inputName(field: string): string;
}

/** Validates a request before anything is asked or sent. Throws CliError usage, and DryRun in a dry run. */
export async function prepareRequest<E extends Endpoint>(
  { profile, globals, world, inputName, rules }: PreparingSession,
  endpoint: E,
  input: RequestOf<E>,
  { unchecked, prints = shapeOfResponse(endpoint), isBeforehand, isRecorded }: RequestOptions = {},
): Promise<ReadyRequest<E>> {
  const request = unchecked ? uncheckedRequest(endpoint, input) : validRequest(endpoint, input, inputName);
  if (globals.dryRun && !isBeforehand) {
    const verdicts = await rules.tested(endpoint, input);
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
  if (!isRecorded) await rules.require(endpoint, input);
  return request;
}

const isNames = (prints: ResultShape | readonly string[]): prints is readonly string[] => Array.isArray(prints);

export const shapeOfResponse = ({ response, nests, lists }: Endpoint) => ({
  schema: response(),
  ...(nests ? { nests } : {}),
  ...(lists ? { lists } : {}),
});
