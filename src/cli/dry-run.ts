import type { Profile } from '../account/profile.ts';
import { serviceNameOf } from '../account/service-name.ts';
import { Secret } from '../base/secret.ts';
import type { World } from '../base/world.ts';
import { encodeRequest } from '../client/codec.ts';
import { uncheckedRequest } from '../client/request.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import { redact } from '../contract/redact.ts';
import { parseExactJson } from '../money/decimal.ts';
import type { Result } from '../present/result.ts';
import type { Dialog } from './dialog.ts';

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
export function endDryRun({ globals }: Pick<Dialog, 'globals'>, change: Readonly<Record<string, unknown>>): void {
  if (globals.dryRun) throw new DryRun({ data: { dryRun: true, ...change } });
}

/** Describes the request that a dry run does not send. Its secrets are redacted, so it is encoded without validation. */
export function dryRunOf(profile: Profile, env: World['env'], endpoint: Endpoint, input: unknown): DryRun {
  const redacted = uncheckedRequest(endpoint, redact(endpoint.request(), input));
  const { method, url, body } = encodeRequest(redacted, {
    baseUrl: profile.baseUrl,
    apiKey: new Secret(''),
    serviceName: serviceNameOf(profile, env),
  });
  return new DryRun({
    data: {
      dryRun: true,
      profile: profile.name,
      mode: profile.mode,
      method,
      url,
      body: body ? parseExactJson(body) : null,
    },
  });
}
