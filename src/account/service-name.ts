import { CliError } from '../base/errors.ts';
import type { World } from '../base/world.ts';
import type { Profile } from './profile.ts';

/** Returns a service's own name, as its webhook headers and some of its paths contain it. Throws CliError usage. */
export function checkedServiceName(text: string): string {
  if (/^[A-Za-z0-9]([A-Za-z0-9-]{0,38}[A-Za-z0-9])?$/.test(text)) return text;
  throw new CliError('usage', 'invalid service name', {
    hint: 'use letters, digits and hyphens, as in the webhook headers: X-NAME-Signature',
  });
}

/** Returns the name of a profile's service; for an account from the environment, that of FIATRAIL_SERVICE_NAME. Throws CliError usage. */
export function serviceNameOf({ stored }: Pick<Profile, 'stored'>, env: World['env']): string | undefined {
  const name = stored ? stored.serviceName : env['FIATRAIL_SERVICE_NAME'];
  return name ? checkedServiceName(name) : undefined;
}
