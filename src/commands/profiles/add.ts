import { command } from '../../cli/command.ts';
import { addProfile, profileParameters } from '../../cli/new-profile.ts';
import { getPlatformPublicKey } from '../../contract/endpoints/management.ts';
import { profileResult } from './show.ts';

export const addCommand = command({
  words: ['profiles', 'add'],
  summary: 'Add a profile, or change one',
  details:
    'What is not given stays as it is. The key is read from standard input, from a hidden question, or by a program of yours each time it is needed. No network call is made unless --check is given.',
  examples: [
    'fiatrail profiles add main --base-url https://host/v1 --key-stdin < key.txt',
    'fiatrail profiles add main --base-url https://host/v1 --mode live --key-command "vault kv get -field=key kv/fiatrail"',
  ],
  endpoints: [getPlatformPublicKey.id],
  isLocal: true,
  parameters: profileParameters,
  run: async (session, input) => {
    const { next, isNew } = await addProfile(session, input);
    await session.note(
      `${isNew ? 'added' : 'changed'} ${next.name}; use it with --profile ${next.name}, or always: fiatrail profiles use ${next.name}`,
    );
    return profileResult(session, next);
  },
});
