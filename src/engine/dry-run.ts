import type { Profile } from '../account/profile.ts';
import { serviceNameOf } from '../account/service-name.ts';
import { Secret } from '../base/secret.ts';
import type { World } from '../base/world.ts';
import { encodeRequest } from '../client/codec.ts';
import { uncheckedRequest } from '../client/request.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import { redact } from '../contract/redact.ts';
import { parseExactJson } from '../money/decimal.ts';
import { titleOf } from '../present/cells.ts';
import type { Column, Result } from '../present/result.ts';

/** Thrown to end a dry run where a request would have been sent; `result` describes the request. */
export class DryRun extends Error {
  override name = 'DryRun';
  readonly result: Result;

  constructor(result: Result) {
    super('dry run');
    this.result = result;
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
export function dryRunOf(profile: Profile, env: World['env'], endpoint: Endpoint, input: unknown): DryRun {
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
