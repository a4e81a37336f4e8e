import { CliError } from '../../base/errors.ts';
import { Secret } from '../../base/secret.ts';
import { command } from '../../cli/command.ts';
import { switchOn } from '../../cli/parameters.ts';
import { getAesKey } from '../../contract/endpoints/management.ts';
import { fingerprint } from '../../crypto/fingerprint.ts';
import { enableCommand, encryptionStatusCommand, rotateEncryptionCommand } from './encryption.ts';
import { platformCommand } from './platform.ts';
import { rotateCommand } from './rotate.ts';
import { sandboxKeyCommand } from './sandbox.ts';

const aesCommand = command({
  words: ['keys', 'aes'],
  summary: 'Show the fingerprint of the account’s AES key, or the key',
  details:
    'Webhooks are signed with it where no secret is set, and the older envelope is sealed with it. It is read anew each time and kept nowhere.',
  examples: ['fiatrail keys aes', 'fiatrail keys aes --print-key -o json --query aesKey'],
  endpoints: [getAesKey.id],
  parameters: { printKey: switchOn('--print-key', 'print the key') },
  run: async (session, { printKey }) => {
    const { data } = await session.call(getAesKey, {});
    if (!data.aesKey) {
      throw new CliError('network', 'the service sent no usable answer: it has no AES key', {
        code: 'UNUSABLE_ANSWER',
        hint: 'run the command again in a while',
      });
    }
    const key = new Secret(data.aesKey);
    return { result: { data: { fingerprint: fingerprint(key), ...(printKey ? { aesKey: key.reveal() } : {}) } } };
  },
});

export const commands = [
  rotateCommand,
  sandboxKeyCommand,
  platformCommand,
  aesCommand,
  encryptionStatusCommand,
  enableCommand,
  rotateEncryptionCommand,
];
