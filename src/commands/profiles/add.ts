import { getPlatformPublicKey } from '../../contract/endpoints/management.ts';
import { addProfile, profileParameters } from '../../terminal/ask/new-profile.ts';
import { command } from '../../terminal/command.ts';
import { PROFILE, profileResult } from './show.ts';

export const addCommand = command({
  words: ['profiles', 'add'],
  summary: 'Add or change a profile',
  details:
    'Omitted settings stay unchanged. The global flag --tz sets the profile’s time zone. The key is read from standard input, from a hidden prompt, or from your own command each time it is needed. No request is sent unless --check is given.',
  examples: [
    'fiatrail profiles add main --base-url https://host/v1 --key-stdin < key.txt',
    'fiatrail profiles add main --base-url https://host/v1 --mode live --key-command "vault kv get -field=key kv/fiatrail"',
    'fiatrail profiles add sandbox --tz Europe/London',
  ],
  endpoints: [getPlatformPublicKey.id],
  prints: { form: PROFILE },
  isLocal: true,
  parameters: profileParameters,
  run: async (session, input) => {
    const { next, isNew } = await addProfile(session, input);
    await session.note(
      `${isNew ? 'added' : 'changed'} profile ${next.name}; use it with --profile ${next.name}, or make it the default with: fiatrail profiles use ${next.name}`,
    );
    return profileResult(session, next);
  },
});
