import type { Profile } from '../account/profile.ts';
import { Secret } from '../base/secret.ts';
import { uncheckedRequest } from '../client/request.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import { redact } from '../contract/redact.ts';
import { parseExactJson } from '../money/decimal.ts';
import type { Result } from '../present/result.ts';
import type { Dialog } from './dialog.ts';

/** Ends a `--dry-run` where something would have been sent; carries what. */
export class DryRun extends Error {
  override name = 'DryRun';
  readonly result: Result;

  constructor(result: Result) {
    super('dry run');
    this.result = result;
  }
}

/** Ends a dry run of a command that changes this machine alone, showing what would be kept. */
export function endDryRun({ globals }: Pick<Dialog, 'globals'>, change: Readonly<Record<string, unknown>>): void {
  if (globals.dryRun) throw new DryRun({ data: { dryRun: true, ...change } });
}

/** What a dry run shows in place of sending a request. Its secrets are hidden, which is why it is encoded unchecked. */
export async function dryRunOf(profile: Profile, endpoint: Endpoint, input: unknown): Promise<DryRun> {
  const { encodeRequest } = await import('../client/codec.ts');
  const shown = uncheckedRequest(endpoint, redact(endpoint.request(), input));
  const { method, url, body } = encodeRequest(shown, { baseUrl: profile.baseUrl, apiKey: new Secret('') });
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
