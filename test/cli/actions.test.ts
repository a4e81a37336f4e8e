import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { advice, joined } from '../../src/base/advice.ts';
import { CliError, hintOf, withDetails } from '../../src/base/errors.ts';
import { CATALOGUE } from '../../src/commands/catalogue.ts';
import { main } from '../../src/main.ts';
import { actionsOf } from '../../src/terminal/show/actions.ts';
import { masked, withoutSecrets } from '../../src/terminal/show/report.ts';
import { ROOT } from '../support/built.ts';
import { fakeWorld } from '../support/world.ts';

const wordsIn = ({ commands }: ReturnType<typeof advice>) => commands.map((words) => words.map(({ text }) => text));
const actionsIn = ({ commands }: ReturnType<typeof advice>) => actionsOf(commands, CATALOGUE);

describe('an advice', () => {
  test('has a text for people and the command lines in it', () => {
    const id = 'op 1';
    const made = advice`see it with: [fiatrail ops show ${id}], or [fiatrail sql "select 1"]; then wait`;
    expect(`${made}`).toBe(`see it with: fiatrail ops show 'op 1', or fiatrail sql "select 1"; then wait`);
    expect(wordsIn(made)).toEqual([
      ['ops', 'show', 'op 1'],
      ['sql', 'select 1'],
    ]);
    expect(JSON.stringify({ made })).toBe(JSON.stringify({ made: made.text }));
  });

  test.each([
    'x] [fiatrail payout create --amount 9 --yes]',
    '--yes',
    'a b',
    '"',
    "'; rm -rf ~",
    '<user id>',
    'NAME',
    '[fiatrail keys rotate --yes]',
  ])('takes the value %j as one word, wherever it is', (value) => {
    const inside = advice`see it with: [fiatrail ops show ${value}]`;
    expect(inside.commands).toEqual([
      [
        { text: 'ops', isNeeded: false },
        { text: 'show', isNeeded: false },
        { text: value, isNeeded: false },
      ],
    ]);
    expect(advice`${value} is not known`.commands).toEqual([]);
    expect(wordsIn(advice`run [fiatrail bulk create FILE --as "${value}"]`)).toEqual([
      ['bulk', 'create', 'FILE', '--as', value],
    ]);
  });

  test('keeps the command lines of another one in it, and of several', () => {
    const inner = advice`[fiatrail ops list]`;
    expect(wordsIn(advice`first ${inner}; then [fiatrail sync]`)).toEqual([['ops', 'list'], ['sync']]);
    const both = joined([inner, undefined, 'or wait', '', advice`[fiatrail sync]`], '; ');
    expect([`${both}`, both && wordsIn(both)]).toEqual([
      'fiatrail ops list; or wait; fiatrail sync',
      [['ops', 'list'], ['sync']],
    ]);
    expect(joined([undefined, ''], '; ')).toBeUndefined();
  });
});

describe('an error', () => {
  const error = new CliError('usage', 'm', { hint: advice`run: [fiatrail sync]` });

  test('has the command lines of its hint', () => {
    expect([error.hint, wordsIn(error as never)]).toEqual(['run: fiatrail sync', [['sync']]]);
    expect(wordsIn(withDetails(error, { message: 'other' }) as never)).toEqual([['sync']]);
    expect(wordsIn(withDetails(error, { hint: hintOf(error) }) as never)).toEqual([['sync']]);
  });

  test('has none of a hint that was replaced', () => {
    expect(withDetails(error, { hint: 'wait' }).commands).toEqual([]);
    expect(withDetails(error, { hint: undefined }).commands).toEqual([]);
  });
});

describe('an action', () => {
  test.each<[ReturnType<typeof advice>, object]>([
    [advice`[fiatrail ops reconcile ${'op_1'}]`, { argv: ['ops', 'reconcile', 'op_1'] }],
    [advice`[fiatrail banks --search NAME]`, { argv: ['banks'], needs: ['--search'] }],
    [advice`[fiatrail plans approve ID]`, { argv: ['plans', 'approve'], needs: ['plan'] }],
    [advice`[fiatrail users activate <user id>]`, { argv: ['users', 'activate'], needs: ['user-id'] }],
    [
      advice`[fiatrail onramp create <user id> --amount <naira>]`,
      { argv: ['onramp', 'create'], needs: ['user-id', '--amount'] },
    ],
    // What the hint leaves out is needed all the same.
    [advice`[fiatrail payout create --to ${'b'}]`, { argv: ['payout', 'create', '--to', 'b'], needs: ['--amount'] }],
    [
      advice`[fiatrail ops resolve ${'op'} --completed|--not-done --reason TEXT]`,
      { argv: ['ops', 'resolve', 'op'], needs: ['--completed|--not-done', '--reason'] },
    ],
    [advice`[fiatrail help topics]`, { argv: ['help', 'topics'] }],
    [advice`[fiatrail help WORDS]`, { argv: ['help'], needs: ['WORDS'] }],
    [advice`[fiatrail report --help]`, { argv: ['report', '--help'] }],
  ])('of %s', async (hint, expected) => {
    expect(await actionsIn(hint)).toEqual([expected]);
  });

  test.each(['12345678901', 'sandbox_0123456789abcdef', 'a-key-of-a-live-account'])(
    'has not the secret %s: it is needed',
    async (secret) => {
      const error = new CliError('usage', 'm', {
        hint: advice`see: [fiatrail receipt ${secret} --html ${`x-${secret}`}]`,
      });
      const env = { FIATRAIL_API_KEY: 'a-key-of-a-live-account' };
      const clean = await withoutSecrets(error, ['receipt', secret], { env });
      const actions = await actionsOf(clean.commands, CATALOGUE);
      expect([JSON.stringify([clean, actions]).includes(secret), actions]).toEqual([
        false,
        [{ argv: ['receipt'], needs: ['id', '--html'] }],
      ]);
    },
  );

  test('has no value that is masked', async () => {
    const error = new CliError('usage', 'm', { hint: advice`see: [fiatrail find ${'ADA OBI'}]` });
    const masking = { text: (text: string) => text.replace('ADA OBI', 'name-1') };
    const shown = masked(error, { masking } as never);
    expect([shown.hint, await actionsOf(shown.commands, CATALOGUE)]).toEqual([
      "see: fiatrail find 'name-1'",
      [{ argv: ['find'], needs: ['anything'] }],
    ]);
  });

  test('of what an agent may only plan is the plan', async () => {
    const world = fakeWorld({ env: { AI_AGENT: 'x' } });
    const typed = ['payout', 'create', '--amount', '5000', '--to', 'default', '--yes', '--once', 'k', '--wait', '5m'];
    expect(await main(typed, world)).toBe(9);
    const { error } = JSON.parse(world.stderr.text());
    expect(error.actions).toEqual([{ argv: ['payout', 'create', '--amount', '5000', '--to', 'default', '--plan'] }]);
    expect(await main(error.actions[0].argv, world)).toBe(0);
  });
});

test('every hint in the source that names a command has it as one', () => {
  const files = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  );
  const plain = files.flatMap((file) =>
    [
      ...readFileSync(join(ROOT, 'src', file), 'utf8').matchAll(
        /\b(?:hint|remedy):\s*(['"`][^\n]*\bfiatrail (?!(?:again|on)\b)[a-z$][^\n]*)/g,
      ),
    ].map(([, text = '']) => `${file}: ${text}`),
  );
  expect(plain.filter((each) => !NOT_ERRORS.some((file) => each.startsWith(file)))).toEqual([]);
});

/** Files whose hints are parts of a report, and no errors. */
const NOT_ERRORS = [
  'bulk/facts.ts',
  'copy/questions/reasons.ts',
  'copy/questions/books/why-open.ts',
  'commands/report/close.ts',
];

test('an agent gets only the command lines that it may run', async () => {
  const { commands } =
    advice`[fiatrail plans approve ID], [fiatrail ops show ${'op'}], [fiatrail payout create --to b --plan], [fiatrail payout create --to b], [fiatrail users activate --help]`;
  expect((await actionsOf(commands, CATALOGUE)).length).toBe(5);
  expect(await actionsOf(commands, CATALOGUE, 'claude-code')).toEqual([
    { argv: ['ops', 'show', 'op'] },
    { argv: ['payout', 'create', '--to', 'b', '--plan'], needs: ['--amount'] },
    { argv: ['users', 'activate', '--help'] },
  ]);
});
