import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Home, type Ran, ROOT, sharedEnd, startProgram } from '../support/built.ts';
import { CLEAN, DECLARATIONS, newProject, typeCheck } from './projects.ts';

/**
 * The entries for programs, `fiatrail/sandbox` and `fiatrail/client`, in a folder that has the program's files and a test runner. package.test.ts
 * tests that the package has all of these files.
 */

const atEnd = sharedEnd();
let home: Home;

beforeAll(() => {
  home = newProject(atEnd);
  symlinkSync(join(ROOT, 'node_modules', 'vitest'), join(home.path, 'node_modules', 'vitest'));
  writeFileSync(join(home.path, 'package.json'), '{"type":"module"}');
});

/** The first block of TypeScript of a page that begins so. */
function example(page: string, start: string): string {
  const blocks = readFileSync(join(ROOT, 'docs', page), 'utf8').matchAll(/```ts\n([\s\S]*?)```/g);
  const found = [...blocks].map(([, text = '']) => text).find((text) => text.startsWith(start));
  if (!found) throw new Error(`${page} has no example that begins with ${start}`);
  return found;
}

function run(name: string, text: string, ...argv: readonly string[]): Promise<Ran> {
  writeFileSync(join(home.path, name), text);
  return startProgram(home, process.execPath, [...argv, name], { cwd: home.path }).end;
}

/** Programs that have the types of browsers too. */
const OF_BROWSERS = ['--lib', 'es2024,dom,esnext.disposable', DECLARATIONS];

describe('the examples of docs/sandbox.md', () => {
  test('run with vitest', async () => {
    const text = example('sandbox.md', '// payments.test.ts');
    const { stdout, code } = await run(
      'payments.test.ts',
      text,
      join(ROOT, 'node_modules', 'vitest', 'vitest.mjs'),
      'run',
    );
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('1 passed') });
  });

  test('run with node:test', async () => {
    const { stdout, code } = await run('quotes.test.ts', example('sandbox.md', '// quotes.test.ts'), '--test');
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/pass 1\b/) });
  });
});

test.each([
  ['nodenext', 'nodenext'],
  ['esnext', 'bundler'],
])('the examples type-check with module %s and resolution %s', async (module, resolution) => {
  const files = {
    'payments.test.ts': example('sandbox.md', '// payments.test.ts'),
    'quotes.test.ts': example('sandbox.md', '// quotes.test.ts'),
    'example.ts': example('client.md', 'import { createClient'),
  };
  const options = ['--module', module, '--moduleResolution', resolution];
  // The declarations of the test runner are not ours to check; those of the two entries are checked below.
  expect(await typeCheck(home, files, ...OF_BROWSERS, ...options, '--skipLibCheck')).toEqual(CLEAN);
});

test('a wrong operation, field or amount does not compile', async () => {
  const text = `
    import { createClient } from 'fiatrail/client';
    const client = createClient({ baseUrl: 'https://host.test/v1', apiKey: 'a-key' });
    // @ts-expect-error: there is no such operation
    await client.call('users.lists');
    // @ts-expect-error: an amount is no number
    await client.call('transactions.onramp', { userId: 'u-1', amount: 5000 });
    // @ts-expect-error: the asset is another one
    await client.call('transactions.onramp', { userId: 'u-1', amount: { value: '5000', asset: 'CNGN' } });
    const { requestId } = await client.call('transactions.onramp', { userId: 'u-1', amount: { value: '5000', asset: 'NGN' } });
    export const text: string = requestId;
    // @ts-expect-error: the answer has no such field
    (await client.call('users.list')).people;`;
  expect(
    await typeCheck(
      home,
      { 'wrong.ts': text },
      ...OF_BROWSERS,
      '--module',
      'nodenext',
      '--moduleResolution',
      'nodenext',
    ),
  ).toEqual(CLEAN);
});

test('CommonJS and ES modules get the same functions', async () => {
  const names = `Object.keys({ ...sandbox, ...client }).filter((name) => name !== 'default' && name !== 'module.exports').sort().join()`;
  const esm = `import * as sandbox from 'fiatrail/sandbox'; import * as client from 'fiatrail/client'; console.log(${names});`;
  const cjs = `const sandbox = require('fiatrail/sandbox'), client = require('fiatrail/client'); console.log(${names});`;
  const expected = { stdout: 'FiatrailError,createClient,startSandbox\n', stderr: '', code: 0 };
  expect(await run('names.mjs', esm, '--no-warnings')).toEqual(expected);
  expect(await run('names.cjs', cjs, '--no-warnings')).toEqual(expected);
});
