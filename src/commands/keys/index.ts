import { CliError } from '../../base/errors.ts';
import { Secret } from '../../base/secret.ts';
import { getAesKey } from '../../contract/endpoints/management.ts';
import { fingerprint } from '../../crypto/digest.ts';
import { command } from '../../terminal/command.ts';
import { switchOn } from '../../terminal/parse/parameters.ts';
import { enableCommand, encryptionStatusCommand, rotateEncryptionCommand } from './encryption.ts';
import { platformCommands } from './platform.ts';
import { rotateCommand } from './rotate.ts';
import { sandboxKeyCommand } from './sandbox.ts';

const aesCommand = command({
  words: ['keys', 'aes', 'show'],
  summary: 'Show the account’s AES key',
  details:
    'Prints only the fingerprint unless --print-key is given. The key signs webhooks if no webhook secret is set, and encrypts the older envelope. It is read from the service each time and never stored.',
  examples: ['fiatrail keys aes show', 'fiatrail keys aes show --print-key -o json --query aesKey'],
  endpoints: [getAesKey.id],
  prints: { form: { fingerprint: 'text', 'aesKey?': 'text' } },
  parameters: { printKey: switchOn('--print-key', 'print the key') },
  run: async (session, { printKey }) => {
    const { data } = await session.call(getAesKey, {});
    if (!data.aesKey) {
      throw new CliError('network', 'unusable response: it contains no AES key', {
        code: 'UNUSABLE_ANSWER',
        hint: 'try again later',
      });
    }
    const key = new Secret(data.aesKey);
    return { result: { data: { fingerprint: fingerprint(key), ...(printKey ? { aesKey: key.reveal() } : {}) } } };
  },
});

export const commands = [
  rotateCommand,
  sandboxKeyCommand,
  ...platformCommands,
  aesCommand,
  encryptionStatusCommand,
  enableCommand,
  rotateEncryptionCommand,
];
