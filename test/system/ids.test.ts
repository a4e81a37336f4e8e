import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { createSystemWorld } from '../../src/system/world.ts';
import { OWN_FILES } from '../support/built.ts';

const KEYS = ['', 'k', 'key of a state file', 'ključ', 'x'.repeat(63), 'x'.repeat(64), 'x'.repeat(65), 'x'.repeat(200)];

test.each(KEYS.map((key) => [key.length, key]))('a digest with a key of %i characters is the HMAC-SHA256', (_, key) => {
  const { digest } = createSystemWorld(OWN_FILES).ids;
  for (const text of ['', '22222222222', 'žrnov '.repeat(50)]) {
    expect(digest(String(key), text)).toBe(createHmac('sha256', String(key)).update(text).digest('base64url'));
  }
});
