import { getPlatformPublicKey } from '../contract/management.ts';
import { command } from './command.ts';
import { rotateCommand } from './keys-rotate.ts';
import { outcomeOf } from './session.ts';

const platformCommand = command({
  words: ['keys', 'platform'],
  summary: 'Show the public key of the service, which requests can be sealed to',
  details: 'An X25519 key of 64 hexadecimal digits, for crypto_box_seal of libsodium. It is no secret.',
  examples: ['fiatrail keys platform', 'fiatrail keys platform -o json --query publicKey'],
  endpoints: [getPlatformPublicKey.id],
  parameters: {},
  run: async (session) => outcomeOf(session, getPlatformPublicKey, await session.call(getPlatformPublicKey, {})),
});

export const commands = [rotateCommand, platformCommand];
