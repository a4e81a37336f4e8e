import type { Profile } from '../../account/profile.ts';
import { serviceNameOf } from '../../account/service-name.ts';
import { CliError } from '../../base/errors.ts';
import type { World } from '../../base/world.ts';
import type { Resigning } from '../../webhooks/listen/forwarder.ts';

/** Parses the URL of a target. Throws CliError usage. */
export function targetUrl(text: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return new URL(text).href;
  throw new CliError('usage', 'invalid target; expected an HTTP or HTTPS URL', {
    hint: 'for example http://127.0.0.1:3000/webhooks',
  });
}

/** Returns how events are signed again; undefined to keep the service's signature. Throws CliError usage. */
export function resigningOf(
  form: 'service' | 'standard' | undefined,
  { env }: Pick<World, 'env'>,
  profile: Pick<Profile, 'stored'>,
): Resigning | undefined {
  if (form === undefined) return undefined;
  const secret = env['FIATRAIL_FORWARD_SECRET'];
  if (!secret)
    throw new CliError('usage', '--resign needs the target’s secret in FIATRAIL_FORWARD_SECRET', {
      code: 'NO_SECRET',
      hint: 'export it, or leave --resign out to send the service’s own signature',
    });
  return form === 'standard' ? { form, secret } : { form, secret, serviceName: serviceNameFor({ env }, profile) };
}

/** The service's name in the headers of what we sign. */
export function serviceNameFor({ env }: Pick<World, 'env'>, profile: Pick<Profile, 'stored'>): string {
  return serviceNameOf(profile, env) ?? 'service';
}
