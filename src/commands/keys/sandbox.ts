import { apiKeyFrom } from '../../account/api-key.ts';
import { safeBaseUrl } from '../../account/base-url.ts';
import { changeProfile } from '../../account/changes.ts';
import { profileName, readProfile, type StoredProfile, type StoreSettings } from '../../account/stored-profile.ts';
import { openStore, requireWritable } from '../../account/stores/stores.ts';
import { CliError } from '../../base/errors.ts';
import { command } from '../../cli/command.ts';
import { connect } from '../../cli/connect.ts';
import { option, switchOn } from '../../cli/parameters.ts';
import { prepareRequest, type Session } from '../../cli/session.ts';
import { createSandboxKey } from '../../contract/endpoints/management.ts';
import { fingerprint } from '../../crypto/fingerprint.ts';

/** Where sandbox keys are made: as told, or where the profile that gets the key is. Throws CliError usage. */
function addressOf(at: string | undefined, kept: StoredProfile | undefined): string {
  if (kept && kept.mode !== 'sandbox') {
    throw new CliError('usage', `the profile ${kept.name} is ${kept.mode}, and a sandbox key is of no use there`, {
      hint: 'choose another name with --save',
    });
  }
  if (kept?.baseUrl && at && at !== kept.baseUrl) {
    throw new CliError('usage', `the profile ${kept.name} is at another address than --at`, {
      hint: 'leave --at out, or choose another name with --save',
    });
  }
  const url = at ?? kept?.baseUrl;
  if (url) return url;
  throw new CliError('usage', 'this is missing: --at', {
    code: 'MISSING_INPUT',
    hint: 'give the address of the sandbox: --at https://sandbox-host/v1',
  });
}

/** Where the key is kept: nothing is written to a command or a variable. */
const storeOf = (kept: StoredProfile | undefined): StoreSettings =>
  kept?.store.kind === 'keyring' ? kept.store : { kind: 'file' };

function requireLive({ profile }: Session): void {
  if (profile.mode === 'live') return;
  throw new CliError(
    'usage',
    `a sandbox key is made with a live key, and the profile ${profile.name} is ${profile.mode}`,
    {
      code: 'NEEDS_LIVE_KEY',
      hint: 'name a live profile with --profile; the embedded sandbox needs no key',
    },
  );
}

export const sandboxKeyCommand = command({
  words: ['keys', 'sandbox'],
  summary: 'Make a key for the sandbox with the live key of this profile',
  details:
    'The one command that sends a live key to a sandbox, which is the address to give. The new key is kept in a profile, printed, or both; the service shows it once.',
  examples: [
    'fiatrail keys sandbox --profile main --at https://sandbox-host/v1 --save main-sandbox',
    'fiatrail keys sandbox --profile main --save main-sandbox',
  ],
  endpoints: [createSandboxKey.id],
  parameters: {
    at: option('--at <url>', 'the address of the sandbox (default: that of the profile it is saved in)', safeBaseUrl),
    save: option('--save <profile>', 'keep the key in this profile, which is made when it is not there', profileName),
    printKey: switchOn('--print-key', 'print the key'),
  },
  run: async (session, { at, save, printKey }) => {
    const { world, globals } = session;
    requireLive(session);
    if (save === undefined && !printKey) {
      throw new CliError('usage', 'the key would be lost: it is shown once', {
        code: 'MISSING_INPUT',
        hint: 'say where to keep it with --save NAME, or print it with --print-key',
      });
    }
    const kept = save === undefined ? undefined : readProfile(world, save);
    const baseUrl = addressOf(at, kept);
    const prints = ['fintechId', 'createdAt', 'fingerprint', 'savedIn', ...(printKey ? ['apiKey'] : [])];
    const request = await prepareRequest(session, createSandboxKey, {}, { prints });
    if (save !== undefined) await requireWritable(await openStore(world, storeOf(kept)), save, world.ids);
    const connection = await connect(world, { ...session.profile, baseUrl }, globals);
    const { data } = await connection.client.call(request).finally(() => connection.close());
    session.noteChanged({ operationId: undefined, requestId: undefined });
    const key = apiKeyFrom(data.apiKey ?? '', 'the new key');
    if (save !== undefined) {
      const made = { name: save, mode: 'sandbox', baseUrl } as const;
      await changeProfile(world, save, (now) => ({ ...(now ?? made), store: storeOf(now) }), key);
    }
    return {
      result: {
        data: {
          fintechId: data.fintechId ?? null,
          createdAt: data.createdAt ?? null,
          fingerprint: fingerprint(key),
          savedIn: save ?? null,
          ...(printKey ? { apiKey: key.reveal() } : {}),
        },
      },
    };
  },
});
