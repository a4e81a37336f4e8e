import { expect, test } from 'vitest';
import { programOf } from './programs.ts';

test('a program that is missing is named with its Debian package', () => {
  expect(() => programOf('no-such-program', 'some-package')).toThrow(
    'no-such-program is missing: install it with apt-get install some-package',
  );
  expect(programOf('sh', 'dash')).toMatch(/\/sh$/);
});
