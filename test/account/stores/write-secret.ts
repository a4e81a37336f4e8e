/** A program that writes a secret repeatedly: `write-secret.ts PROFILE SECRET TIMES`. */
import { randomUUID } from 'node:crypto';
import { createFileStore } from '../../../src/account/stores/file-store.ts';
import { Secret } from '../../../src/base/secret.ts';

const [profile = '', secret = '', times = '1'] = process.argv.slice(2);
const { env, platform } = process;
const store = createFileStore({ env, platform, homeDir: env['HOME'] ?? '', ids: { uuid: randomUUID } });
for (let left = Number(times); left > 0; left--) await store.write(profile, 'api-key', new Secret(secret));
