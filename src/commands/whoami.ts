import * as z from 'zod/mini';
import { modeInFull } from '../account/profile.ts';
import { command } from '../terminal/command.ts';

const whoamiCommand = command({
  words: ['whoami'],
  summary: 'Show the profile, its account and who runs it here',
  details: 'Sends nothing. The key is shown as its fingerprint: the first 12 hex digits of its SHA-256 hash.',
  examples: ['fiatrail whoami', 'fiatrail whoami -o json --query profile'],
  endpoints: [],
  prints: () =>
    z.object({
      profile: z.string(),
      account: z.string(),
      mode: z.enum(['embedded', 'sandbox', 'live']),
      baseUrl: z.nullable(z.string()),
      keyFingerprint: z.string(),
      user: z.string(),
      host: z.string(),
    }),
  parameters: {},
  run: async ({ profile, world, accountNames }) => {
    const { name, mode, baseUrl } = profile;
    const { user, name: host } = world.host;
    const data = {
      profile: name,
      account: modeInFull(mode),
      mode,
      baseUrl: mode === 'embedded' ? null : baseUrl,
      keyFingerprint: (await accountNames()).keyFingerprint,
      user,
      host,
    };
    return { result: { data } };
  },
});

export const commands = [whoamiCommand];
