import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CATALOGUE } from '../../src/commands/catalogue.ts';
import { main } from '../../src/main.ts';
import { typedForm } from '../../src/terminal/parse/missing.ts';
import { ROOT } from '../support/built.ts';
import { fakeWorld } from '../support/world.ts';

const COMMANDS = (await Promise.all(CATALOGUE.map((group) => group.load()))).flat();

/** Runs a command line without a terminal, and returns its error without the line about the run. */
async function refused(argv: readonly string[]) {
  const world = fakeWorld();
  const code = await main([...argv, '-q'], world);
  return { argv, code, stderr: world.stderr.text() };
}

/** What such a run ends with: an error that begins like this, and a hint. */
const refusal = (argv: readonly string[], start: string) => ({
  argv,
  code: 2,
  stderr: expect.toSatisfy(
    (text: string) => `${text}`.startsWith(`error: ${start}`) && text.includes('\n  hint: '),
    `begins with "error: ${start}" and has a hint`,
  ),
});

test('every command names what it needs and was not given, and shows what to type', async () => {
  for (const { words, parameters, examples, needs } of COMMANDS) {
    const also = needs?.({} as never) ?? [];
    const forms = Object.entries(parameters).flatMap(([key, each]) =>
      each.required || also.includes(key) ? each : [],
    );
    if (forms.length === 0) continue;
    const found = await refused(words);
    expect(found).toEqual(
      refusal(words, `missing ${forms.map(typedForm).join(', ')}${forms.length > 1 ? '\n' : ': '}`),
    );
    expect(found.stderr.replaceAll(/\n {4}/g, ' ')).toContain(`for example: ${examples[0]}`);
  }
});

test('every option that takes a value names it if it is left out', async () => {
  for (const { words, parameters } of COMMANDS)
    for (const { kind, name } of Object.values(parameters)) {
      if (kind !== 'option' || !name.includes('<')) continue;
      const argv = [...words, name.replace(/^-\w, /, '').replace(/ .*/, '')];
      expect(await refused(argv)).toEqual(refusal(argv, `missing ${name.replace(/^-\w, /, '')}: `));
    }
});

test('every option that is no list may be given once', async () => {
  for (const { words, parameters } of COMMANDS)
    for (const { kind, name, repeats } of Object.values(parameters)) {
      if (kind !== 'option' || !name.includes('<') || repeats) continue;
      const flag = /--[\w-]+/.exec(name)?.[0] ?? name;
      const argv = [...words, flag, '1', flag, '2'];
      const { code, stderr } = await refused(argv);
      expect({ argv, code, stderr }).toMatchObject({
        code: 2,
        stderr: expect.stringMatching(new RegExp(`^error: ${flag} was given more than once; expected one value\n`)),
      });
    }
});

test('too many arguments are named, with those that the command takes', async () => {
  for (const { words, parameters } of COMMANDS) {
    const own = Object.values(parameters).filter(({ kind }) => kind === 'argument');
    const isGroup = COMMANDS.some(
      (each) => each.words.length > words.length && words.every((w, at) => each.words[at] === w),
    );
    if (own.some(({ repeats }) => repeats) || isGroup) continue;
    const argv = [...words, ...own.map((_, at) => `given-${at}`), 'extra'];
    const takes = own.map(typedForm).join(' ') || 'none';
    expect(await refused(argv)).toEqual(
      refusal(argv, `too many arguments for 'fiatrail ${words.join(' ')}': expected ${takes}; got `),
    );
  }
});

test('an unknown word is named with the group that it was typed after', async () => {
  const groups = new Set(
    COMMANDS.flatMap(({ words }) => words.slice(1).map((_, at) => words.slice(0, at + 1).join(' '))),
  );
  const commands = new Set(COMMANDS.map(({ words }) => words.join(' ')));
  for (const group of groups) {
    if (commands.has(group)) continue;
    const argv = [...group.split(' '), 'frobnicate'];
    expect(await refused(argv)).toEqual(refusal(argv, `unknown command '${group} frobnicate'`));
  }
});

test('one place says that something is missing', () => {
  const files = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' }).filter((name) =>
    /^(commands|terminal)\/.*\.ts$/.test(name),
  );
  const found = files.filter((name) =>
    /new CliError\(\s*'usage',\s*['`](missing|the [^'`]* (is|are) missing['`,])/.test(
      readFileSync(join(ROOT, 'src', name), 'utf8'),
    ),
  );
  expect(found).toEqual([]);
});

test.each([
  ['bridge quote --from-network nowhere --to-network bsc --amount 100000', '--from-network: expected one of '],
  ['sandbox fault add --on users.onboard --fault reject --name NOBODY', '--name: expected a rejection of '],
])('what the service says of a field is said of its flag: %s', async (line, said) => {
  expect((await refused(line.split(' '))).stderr).toContain(`: ${said}`);
});
