import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { copyProgram, newHome, ROOT, requireBuilt, sharedEnd, startProgram } from '../support/built.ts';

/** What the entries for programs export, as their declarations have it: each with what it is for, and an example that runs. */

const atEnd = sharedEnd();

interface Declared {
  readonly text: string;
  readonly comment: string;
}

interface Export extends Declared {
  readonly entry: string;
  readonly name: string;
}

beforeAll(requireBuilt);

const read = (path: string) => readFileSync(path, 'utf8');

/** The comment that ends where a declaration begins. */
const commentBefore = (text: string): string => /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*$/.exec(text)?.[1] ?? '';

/** Returns a declaration of a file with its comment. Throws if there is none. */
function declarationOf(path: string, name: string): Declared {
  const text = read(path);
  const start = new RegExp(`^export (?:declare )?(?:function|class|interface|type|const) ${name}\\b`, 'm').exec(text);
  if (!start) throw new Error(`${path} does not declare ${name}`);
  const rest = text.slice(start.index);
  // One line, or as many as it takes to its closing brace.
  const [declared = ''] = /^.*;$|^[\s\S]*?^\}.*$/m.exec(rest) ?? [];
  return { text: declared, comment: commentBefore(text.slice(0, start.index)) };
}

/** Everything that an entry exports, wherever it is declared. */
function exportsOf(entry: string, path: string): readonly Export[] {
  const text = read(path);
  const own = [...text.matchAll(/^export (?:declare )?(?:function|class|interface|type|const) (\w+)/gm)].map(
    ([, name = '']) => ({ entry, name, ...declarationOf(path, name) }),
  );
  const others = [...text.matchAll(/^export (?:type )?\{([^}]+)\} from '(.+)';$/gm)].flatMap(
    ([, names = '', from = '']) =>
      names.split(',').map((each) => {
        const [name = '', as = name] = each.trim().split(/ as /);
        const file = join(dirname(path), from.replace(/\.cjs$/, '.d.cts'));
        return { entry, name: as, ...declarationOf(file, name) };
      }),
  );
  return [...own, ...others];
}

function allExports(): readonly Export[] {
  const { exports } = JSON.parse(read(join(ROOT, 'package.json'))) as {
    exports: Readonly<Record<string, string | { readonly types: string }>>;
  };
  return Object.entries(exports).flatMap(([entry, target]) =>
    typeof target === 'string' ? [] : exportsOf(`fiatrail${entry.slice(1)}`, join(ROOT, target.types)),
  );
}

/** The examples of a comment, as they are typed. */
const examplesIn = (comment: string): readonly string[] =>
  [...comment.replace(/^ *\* ?/gm, '').matchAll(/@example\s+```ts\n([\s\S]*?)```/g)].map(([, code = '']) => code);

/** How often an example compares something. */
const comparisonsIn = (code: string) => [...code.matchAll(/\bassert\.equal\(/g)].length;

test('the entries export this, and nothing else', () => {
  const names = allExports().map(({ entry, name }) => `${entry} ${name}`);
  expect(names.toSorted()).toEqual(
    [
      'fiatrail/client Amount',
      'fiatrail/client Client',
      'fiatrail/client ClientOptions',
      'fiatrail/client FiatrailError',
      'fiatrail/client Operations',
      'fiatrail/client createClient',
      'fiatrail/sandbox Controls',
      'fiatrail/sandbox RunningSandbox',
      'fiatrail/sandbox SandboxOptions',
      'fiatrail/sandbox startSandbox',
      'fiatrail/webhooks EventData',
      'fiatrail/webhooks EventOf',
      'fiatrail/webhooks Received',
      'fiatrail/webhooks ReceivedEvent',
      'fiatrail/webhooks ReceiveOptions',
      'fiatrail/webhooks WebhookError',
      'fiatrail/webhooks WebhookRequest',
      'fiatrail/webhooks bodyOf',
      'fiatrail/webhooks receive',
    ].toSorted(),
  );
});

test('everything that is exported says what it is for, and has an example', () => {
  const without = allExports().filter(
    ({ comment }) => !/^[\s*]*[A-Z]/.test(comment) || examplesIn(comment).length === 0,
  );
  expect(without.map(({ entry, name }) => `${entry} ${name}`)).toEqual([]);
});

test('every member of it says what it is', () => {
  // What is made of other types has their members; a constructor is not called from outside.
  const more = ['Verified', 'Delivery'].map((name) => declarationOf(join(ROOT, 'dist/webhooks/verify.d.cts'), name));
  const event = declarationOf(join(ROOT, 'dist/webhooks/event.d.cts'), 'ReadEvent');
  const types = [...allExports(), ...more, event];
  const members = types.flatMap(({ text }) =>
    [...text.matchAll(/^ {4}(?!constructor|name:)(?:readonly )?([\w'.-]+)[?]?(?:<.*)?[:(]/gm)].map((found) => ({
      name: found[1],
      comment: commentBefore(text.slice(0, found.index)),
    })),
  );
  expect(members.length).toBeGreaterThan(150);
  expect(members.filter(({ comment }) => comment.trim() === '').map(({ name }) => name)).toEqual([]);
});

/** Runs the files that it is given, one after another, and prints how often each compared something, or why it failed. */
const RUNNER = `
import assert from 'node:assert/strict';
const { equal } = assert;
for (const file of process.argv.slice(2)) {
  let compared = 0;
  assert.equal = (...values) => {
    equal(...values);
    compared += 1;
  };
  const problem = await import(file).then(() => undefined, (error) => String(error?.stack ?? error));
  process.stdout.write(JSON.stringify([file, problem ?? compared]) + '\\n');
}
process.exit();
`;

describe('the examples', () => {
  const written = () => {
    const home = newHome(atEnd);
    copyProgram(join(home.path, 'node_modules', 'fiatrail'));
    writeFileSync(join(home.path, 'package.json'), '{"type":"module"}');
    writeFileSync(join(home.path, 'run.mjs'), RUNNER);
    const files = allExports().flatMap(({ entry, name, comment }) =>
      examplesIn(comment).map((code, at) => ({ file: `./${entry.split('/')[1]}-${name}-${at}.ts`, code })),
    );
    for (const { file, code } of files) writeFileSync(join(home.path, file), code);
    return { home, files };
  };

  test('hold', async () => {
    const { home, files } = written();
    const argv = ['--no-warnings', 'run.mjs', ...files.map(({ file }) => file)];
    const { stdout, stderr } = await startProgram(home, process.execPath, argv, { cwd: home.path }).end;
    const ran = stdout
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as [file: string, compared: number | string]);
    expect(
      ran.map(([file]) => file),
      stderr,
    ).toEqual(files.map(({ file }) => file));
    // An example that compares nothing, or leaves a comparison out, would always hold.
    const wrong = ran.filter(([, compared], at) => {
      const wanted = comparisonsIn(files[at]?.code ?? '');
      return typeof compared === 'string' || compared === 0 || compared < wanted;
    });
    expect(wrong).toEqual([]);
  });

  test('type-check', async () => {
    const { home, files } = written();
    const options = [
      '--ignoreConfig',
      '--noEmit',
      '--strict',
      '--exactOptionalPropertyTypes',
      '--noUncheckedIndexedAccess',
    ];
    const modules = ['--module', 'nodenext', '--moduleResolution', 'nodenext', '--target', 'es2024'];
    const libraries = [
      '--lib',
      'es2024,dom,esnext.disposable',
      '--types',
      'node',
      '--skipLibCheck',
      '--singleThreaded',
    ];
    const roots = ['--typeRoots', join(ROOT, 'node_modules', '@types')];
    const compiler = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
    const argv = [compiler, ...options, ...modules, ...libraries, ...roots, ...files.map(({ file }) => file)];
    expect(await startProgram(home, process.execPath, argv, { cwd: home.path }).end).toEqual({
      stdout: '',
      stderr: '',
      code: 0,
    });
  });
});
