import { type Profile, serviceNameOf } from '../../account/profile.ts';
import { CliError } from '../../base/errors.ts';
import type { World } from '../../base/world.ts';
import type { ForwardTarget } from '../../webhooks/listen/forwarder.ts';
import type { Resigning } from '../../webhooks/listen/sending.ts';

/** What to do about a target that did not answer, or not with 2xx. */
export const CHECK_TARGET = 'check that the target is running and responds with 2xx, then run the command again';

/** Parses the URL of a target. Throws CliError usage. */
export function targetUrl(text: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return new URL(text).href;
  throw new CliError('usage', 'invalid target; expected an HTTP or HTTPS URL', {
    hint: 'for example http://127.0.0.1:3000/webhooks',
  });
}

/** Parses a target's name: a URL, or `exec:` and a command. Throws CliError usage. */
export const targetName = (text: string): string => (text.startsWith('exec:') ? text : targetUrl(text));

/** How long a command may take with an event. */
export const COMMAND_MS = 60_000;
/** How long a command that is asked to end has for it. */
const GRACE_MS = 5_000;

/** A command that gets each event on its standard input; exit code 0 acknowledges it. */
export function commandTarget(command: string, { runProgram }: Pick<World, 'runProgram'>): ForwardTarget {
  return {
    name: `exec:${command}`,
    send: async ({ id, event, eventId, webhookId, isLate, isEarly, text, body }, cutOff) => {
      const env = {
        FIATRAIL_EVENT: event ?? '',
        FIATRAIL_EVENT_ID: eventId ?? '',
        FIATRAIL_EVENT_NUMBER: String(id),
        FIATRAIL_WEBHOOK_ID: webhookId ?? '',
        FIATRAIL_EVENT_IS_LATE: String(isLate),
        FIATRAIL_EVENT_IS_EARLY: String(isEarly),
      };
      const end = await runProgram([command], {
        ...(text === null ? { inputBytes: body } : { input: text }),
        timeoutMs: COMMAND_MS,
        isShell: true,
        env,
        showsErrors: true,
        ending: { signal: cutOff, graceMs: GRACE_MS },
      });
      if (end.kind === 'ended') return end.code === 0 ? {} : { problem: `the command ended with ${end.code}` };
      return { problem: end.kind === 'late' ? 'the command took too long' : 'the command cannot be started' };
    },
  };
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
