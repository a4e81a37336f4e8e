import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CATALOGUE } from '../../src/commands/catalogue.ts';
import { main } from '../../src/main.ts';
import { pageNamed } from '../../src/terminal/help/help.ts';
import { mapOf } from '../../src/terminal/help/map.ts';
import { TOPICS } from '../../src/terminal/help/topics/index.ts';
import { parse } from '../../src/terminal/parse/program.ts';
import { ROOT } from '../support/built.ts';
import { fakeWorld } from '../support/world.ts';

/** The fields of the map that this file reads. */
interface MapParameter {
  readonly name: string;
  readonly short?: string;
  readonly kind: string;
  readonly type: string;
  readonly format?: string;
  readonly values?: readonly string[];
  readonly default?: string;
  readonly isRequired: boolean;
  readonly isRepeatable?: boolean;
  readonly isSecret?: boolean;
  readonly example?: string;
}

interface MapRecord {
  readonly words: readonly string[];
  readonly aliases: readonly string[];
  readonly effect: string;
  readonly needsYes: boolean;
  readonly isPlannable: boolean;
  readonly takesOnce: boolean;
  readonly parameters: readonly MapParameter[];
  readonly globalOptions: readonly string[];
  readonly exitCodes: readonly number[];
  readonly schema: string | null;
  readonly endpoints: readonly string[];
  readonly examples: readonly string[];
}

const tree = (await Promise.all(CATALOGUE.map((group) => group.load()))).flat();

const nameOf = ({ words }: { readonly words: readonly string[] }) => words.join(' ');

async function printed(argv: readonly string[]) {
  const world = fakeWorld();
  const code = await main(argv, world);
  return { code, stdout: world.stdout.text(), stderr: world.stderr.text() };
}

async function document(argv: readonly string[]) {
  const { code, stdout, stderr } = await printed(argv);
  expect({ argv, code, stderr }).toEqual({ argv, code: 0, stderr: '' });
  return JSON.parse(stdout);
}

const map: { readonly commands: readonly MapRecord[]; readonly globalOptions: readonly { name: string }[] } =
  JSON.parse(JSON.stringify(await mapOf([], CATALOGUE)));

const named = (name: string) => map.commands.find((each) => nameOf(each) === name);

describe('the map of the commands', () => {
  test('is the tree: each command with its parameters, its endpoints and its examples', () => {
    expect(
      map.commands.map(({ words, parameters, endpoints: called, examples }) => ({
        words,
        parameters: parameters.map(({ name, short, isRequired, isRepeatable = false, isSecret = false, values }) => ({
          flags: [short, name].filter((each) => each !== undefined).join(', '),
          isRequired,
          isRepeatable,
          isSecret,
          values,
        })),
        called,
        examples,
      })),
    ).toEqual(
      tree.map(({ words, parameters, endpoints: called, examples }) => ({
        words,
        parameters: Object.values(parameters).map(
          ({ name, kind, required, repeats = false, isSecret = false, values }) => ({
            flags: kind === 'option' ? name.replace(/ [<[].*/, '') : name,
            isRequired: required,
            isRepeatable: repeats,
            isSecret,
            values,
          }),
        ),
        called,
        examples,
      })),
    );
  });

  test('is what docs/reference/commands.json has', () => {
    expect(JSON.parse(readFileSync(join(ROOT, 'docs', 'reference', 'commands.json'), 'utf8'))).toEqual(map);
  });

  test('has a type, a form and an example of every value, which the command accepts', () => {
    const wrong = map.commands.flatMap((record) => {
      const parameters = Object.values(tree.find((each) => nameOf(each) === nameOf(record))?.parameters ?? {});
      return record.parameters.flatMap(({ name, type, format, example }, at) => {
        if (type === 'boolean')
          return example === undefined && format === undefined ? [] : [`${nameOf(record)} ${name}`];
        try {
          parameters[at]?.parse(example);
          return example !== undefined && format !== undefined && ['string', 'integer'].includes(type)
            ? []
            : [`${nameOf(record)} ${name}`];
        } catch (error) {
          return [`${nameOf(record)} ${name}: ${String(error)}`];
        }
      });
    });
    expect(wrong).toEqual([]);
  });

  test('takes an example of a value from an example of the command', () => {
    const amount = named('payout create')?.parameters.find(({ name }) => name === '--amount');
    expect(amount).toMatchObject({
      type: 'string',
      format: 'amount',
      unit: 'cNGN',
      example: '50000',
      isRequired: true,
    });
    const [address] = named('ip add')?.parameters ?? [];
    expect(address).toMatchObject({ name: 'address', kind: 'argument', example: '203.0.113.7' });
  });

  test('says every default that a help text says', () => {
    const said = tree.flatMap((command) =>
      Object.values(command.parameters).flatMap(({ name, help }) =>
        /\(default(?! on [a-z]| elsewhere)\b|; default\)/.test(help)
          ? [`${nameOf(command)} ${name.replace(/ [<[].*/, '').replace(/^-\w, /, '')}`]
          : [],
      ),
    );
    const inMap = map.commands.flatMap((record) =>
      record.parameters.flatMap(({ name, default: value }) =>
        value === undefined ? [] : [`${nameOf(record)} ${name}`],
      ),
    );
    expect(said.length).toBeGreaterThan(60);
    expect(inMap).toEqual(said);
    const all = Object.fromEntries(
      map.commands.flatMap((record) =>
        record.parameters.map((each) => [`${nameOf(record)} ${each.name}`, each.default]),
      ),
    );
    expect(all).toMatchObject({
      'payout create --wait': '10m',
      'report period': 'this month',
      'report balance --by': 'day',
      'ops reconcile operation-id': 'every unknown outcome of this profile',
    });
  });

  test('names the commands that move money, and those that cannot be undone', () => {
    const withEffect = (effect: string) => map.commands.filter((each) => each.effect === effect).map(nameOf);
    const { money, destructive } = WITNESS;
    expect(withEffect('money').toSorted()).toEqual(money);
    expect(withEffect('destructive').toSorted()).toEqual(destructive);
    // What takes an idempotency key moves money, and can be planned.
    for (const { words, effect, takesOnce, isPlannable } of map.commands.filter((each) => each.takesOnce))
      expect({ words, effect, takesOnce, isPlannable }).toEqual({
        words,
        effect: 'money',
        takesOnce: true,
        isPlannable: true,
      });
  });

  test('says of no command that it reads, if it can be planned', () => {
    const reads = map.commands.filter(({ effect }) => effect === 'read');
    expect(reads.filter(({ parameters }) => parameters.some(({ name }) => name === '--plan')).map(nameOf)).toEqual([]);
  });

  test('has what else may be typed for a command', async () => {
    const aliases = map.commands.flatMap((record) => record.aliases.map((alias) => ({ alias, name: nameOf(record) })));
    expect(aliases).toContainEqual({ alias: 'users get', name: 'users show' });
    expect(aliases).toContainEqual({ alias: 'users ls', name: 'users list' });
    for (const { alias, name } of aliases) {
      const line = await parse(alias.split(' '), CATALOGUE, fakeWorld());
      expect({ alias, name: line.kind === 'command' && nameOf(line.command) }).toEqual({ alias, name });
    }
  });

  test('names a schema that fiatrail schema has, and leaves none out', async () => {
    const { commands } = await document(['schema', '-o', 'json']);
    const listed = (commands as { command: string; hasSchema: boolean }[]).filter(({ hasSchema }) => hasSchema);
    expect(map.commands.flatMap(({ schema }) => schema ?? []).toSorted()).toEqual(
      listed.map(({ command }) => `fiatrail schema ${command}`).toSorted(),
    );
  });

  test('has every exit code that a recorded session ended with', () => {
    const folder = join(ROOT, 'test', 'transcripts');
    const wrong: string[] = [];
    let count = 0;
    for (const file of readdirSync(folder).filter((each) => each.endsWith('.txt')))
      for (const [, line = '', code] of readFileSync(join(folder, file), 'utf8').matchAll(
        /^\$ fiatrail (.*)\n(?:(?!\$ |@).*\n)*?\[exit (\d+)\]$/gm,
      )) {
        const record = map.commands
          .toSorted((a, b) => b.words.length - a.words.length)
          .find((each) => `${line} `.startsWith(`${nameOf(each)} `));
        if (!record) continue;
        count += 1;
        if (!record.exitCodes.includes(Number(code))) wrong.push(`${file}: ${line}: ${code}`);
      }
    expect(count).toBeGreaterThan(500);
    expect(wrong).toEqual([]);
  });

  test('names global options that exist', () => {
    const known = map.globalOptions.map(({ name }) => name);
    expect(known).toContain('--query');
    expect(map.commands.flatMap(({ globalOptions }) => globalOptions.filter((each) => !known.includes(each)))).toEqual(
      [],
    );
  });
});

/** What moves money and what cannot be undone, from the names of the commands. */
const WITNESS = {
  money: [
    'api',
    'bridge create',
    'bulk create',
    'bulk resume',
    'fees withdraw',
    'fx orders create',
    'fx orders pause',
    'fx orders resume',
    'fx orders update',
    'fx trade',
    'offramp create',
    'onramp create',
    'ops retry',
    'payout create',
    'plans apply',
    'swaps create',
    'transfers create',
    'withdrawals create',
  ],
  destructive: [
    'bank-accounts remove',
    'bulk cancel',
    'fx orders cancel',
    'ip remove',
    'ip replace',
    'keys rotate',
    'profiles remove',
    'sandbox reset',
    'sandbox restore',
    'sync forget',
    'users default-wallet remove',
    'wallets external remove',
    'webhooks inbox prune',
  ],
};

describe('help as JSON', () => {
  test.each([
    ['payout create', ['payout', 'create', '--help', '-o', 'json']],
    ['payout create', ['payout', 'create', '--json', '--help']],
    ['payout create', ['help', 'payout', 'create', '--json']],
    ['payout create', ['-o', 'json', 'help', 'payout', 'create']],
    ['payout create', ['payout', 'create', '-o', 'json', '-h']],
    ['sync', ['sync', '--help', '--json']],
  ])('of a command is its record: %s', async (name, argv) => {
    expect(await document(argv)).toEqual(named(name));
  });

  test('of a group has the records of its commands', async () => {
    const { commands, ...group } = await document(['fx', 'orders', '--help', '--json']);
    expect(group).toEqual({ words: ['fx', 'orders'], summary: 'Manage your orders on the order book' });
    expect(commands).toEqual(map.commands.filter((each) => nameOf(each).startsWith('fx orders ')));
  });

  test('of the program is the map', async () => {
    for (const argv of [
      ['--help', '--json'],
      ['help', '-o', 'json'],
      ['-o', 'json'],
    ])
      expect(await document(argv)).toEqual(map);
  });

  test('of the pages', async () => {
    expect(await document(['help', 'options', '--json'])).toEqual({ globalOptions: map.globalOptions });
    const { topics } = await document(['help', 'topics', '--json']);
    expect(topics.map(({ name }: { name: string }) => name)).toEqual(TOPICS.map(({ name }) => name));
    const topic = await document(['help', 'units', '--json']);
    expect(topic).toMatchObject({ name: 'units', title: 'Amounts and units', page: 'docs/scripting.md' });
    expect(topic.text.replace(/\s+/g, ' ')).toBe((await pageNamed(['units'], CATALOGUE))?.replace(/\s+/g, ' '));
  });

  test('takes a query', async () => {
    expect(await document(['help', 'commands', '--json', '--query', "commands[?effect=='money'].words | [0]"])).toEqual(
      ['onramp', 'create'],
    );
  });

  test.each(['csv', 'ndjson', 'yaml', 'raw'])('is rejected as %s in one sentence', async (format) => {
    for (const argv of [
      ['help', 'commands', '-o', format],
      ['payout', 'create', '--help', '-o', format],
      ['help', 'units', '-o', format],
      ['help', 'payroll', '-o', format],
    ]) {
      const { code, stdout, stderr } = await printed(argv);
      const said = format === 'ndjson' ? JSON.parse(stderr).error : undefined;
      expect({ code, stdout, stderr: said ? `error: ${said.message}\n  hint: ${said.hint}` : stderr }).toEqual({
        code: 2,
        stdout: '',
        stderr: expect.stringMatching(
          new RegExp(`^error: help is printed as text or as JSON, not as ${format}\n  hint: use -o json`),
        ),
      });
    }
  });

  test('is text with -o table, and where only the environment says JSON', async () => {
    const page = await pageNamed(['units'], CATALOGUE);
    expect(await printed(['help', 'units', '-o', 'table'])).toEqual({ code: 0, stdout: page, stderr: '' });
    const world = fakeWorld({ env: { FIATRAIL_OUTPUT: 'json' } });
    await main(['help', 'units'], world);
    expect(world.stdout.text()).toBe(page);
  });

  test('refuses a query of a text', async () => {
    expect(await printed(['help', 'commands', '--query', 'x'])).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('error: --query needs help as JSON\n  hint: add -o json\n'),
    });
  });

  test('an error of it is JSON', async () => {
    const { code, stdout, stderr } = await printed(['help', 'topics', 'refnd', '--json']);
    expect({ code, stdout, error: JSON.parse(stderr).error }).toMatchObject({
      code: 2,
      stdout: '',
      error: { message: 'unknown topic "refnd"', hint: 'did you mean fiatrail help refund?' },
    });
  });
});
