import { describe, expect, test } from 'vitest';
import { CATALOGUE } from '../../src/commands/catalogue.ts';
import { printedSchema } from '../../src/commands/schema.ts';
import { rowsOf } from '../../src/contract/rows.ts';
import { main } from '../../src/main.ts';
import { fakeWorld } from '../support/world.ts';

const commands = (await Promise.all(CATALOGUE.map((group) => group.load()))).flat();

interface Document {
  readonly properties: Readonly<Record<string, object>>;
  readonly required?: readonly string[];
}

async function run(...argv: readonly string[]) {
  const world = fakeWorld();
  const code = await main(argv, world);
  return { code, stdout: world.stdout.text(), stderr: world.stderr.text() };
}

async function schemaOf(words: string): Promise<Document> {
  const { stdout } = await run('schema', ...words.split(' '));
  return JSON.parse(stdout) as Document;
}

const CNGN = {
  type: ['object', 'null'],
  properties: { value: { type: 'string' }, asset: { enum: ['CNGN', null] } },
  required: ['value', 'asset'],
};

describe('fiatrail schema', () => {
  test('takes the name of a command as one word too', async () => {
    const quoted = await run('schema', 'fees withdraw');
    expect(quoted).toEqual(await run('schema', 'fees', 'withdraw'));
    expect(quoted.code).toBe(0);
  });

  test('lists the commands', async () => {
    const { stdout, code } = await run('schema', '-o', 'json');
    const { commands: listed } = JSON.parse(stdout) as { commands: { command: string; hasSchema: boolean }[] };
    expect(code).toBe(0);
    expect(listed.map(({ command }) => command)).toEqual(commands.map(({ words }) => words.join(' ')));
    const without = listed.filter(({ hasSchema }) => !hasSchema).map(({ command }) => command);
    const programs = [
      ...['sandbox serve', 'mcp', 'api', 'bulk template', 'report books'],
      ...['completion bash', 'completion zsh', 'completion fish'],
    ];
    const talks = ['init', 'tour', 'webhooks listen', 'ops retry', 'ops resume', 'ops journal export', 'plans apply'];
    expect(without.toSorted()).toEqual([...talks, ...programs].toSorted());
  });

  test('says which dialect it is and what it describes', async () => {
    expect(await schemaOf('users list')).toMatchObject({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      title: 'fiatrail users list -o json',
      type: 'object',
    });
  });

  test('a list has its rows and their position', async () => {
    const { properties, required } = await schemaOf('users list');
    expect(required?.slice(0, 2)).toEqual(['users', 'pagination']);
    expect(properties['users']).toMatchObject({ type: 'array', items: { type: 'object' } });
    expect(properties['pagination']).toMatchObject({ required: ['total', 'limit', 'offset', 'hasMore', 'after'] });
  });

  test('the fields of a nested object stand among the others', async () => {
    const { properties, required } = await schemaOf('fx quote');
    expect(properties).not.toHaveProperty('quote');
    expect(required).toContain('quoteId');
  });

  test('work that a command starts has every field, null until it is known', async () => {
    const { properties, required } = await schemaOf('offramp create');
    expect(required).toEqual(Object.keys(properties));
    expect(required).toEqual(expect.arrayContaining(['requestId', 'status', 'payout']));
    for (const field of Object.values(properties)) expect(JSON.stringify(field)).toContain('"null"');
  });

  test('an amount has its value and its asset', async () => {
    expect((await schemaOf('wallets auto-signing show')).properties).toMatchObject({
      thresholdAmount: { properties: { asset: { enum: ['CNGN', null] } }, required: ['value', 'asset'] },
    });
    const { properties } = await schemaOf('onramp status');
    expect(properties['wallet']).toMatchObject({ properties: { amount: CNGN } });
    expect(properties['amount']).toMatchObject({ properties: { unit: { const: 'unknown' } } });
  });

  test.each([
    [['api'], 'there is no schema of what "fiatrail api" prints'],
    [['fx', 'orders'], 'incomplete command: fx orders'],
    [['usres', 'list'], 'unknown command "usres list"'],
  ])('%j is an error', async (words, message) => {
    const { code, stdout, stderr } = await run('schema', ...words);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(message);
  });
});

describe('what the contract says', () => {
  const plain = commands.flatMap(({ words, prints }) =>
    prints && 'response' in prints && !prints.more && !prints.isRow && !prints.lists && !prints.response.lists
      ? [{ name: words.join(' '), prints, endpoint: prints.response }]
      : [],
  );

  test.each(plain)('$name requires the fields that a response always has', ({ prints, endpoint }) => {
    const { nests } = endpoint;
    const rows = rowsOf(endpoint.response()).map((row) => ({ ...row, parts: row.name.split('.') }));
    const outer = rows.filter(({ parts: [first, ...rest] }) => rest.length === 0 && first !== nests);
    const isNestThere = rows.some(({ name, required, nullable }) => name === nests && required && !nullable);
    const inner = rows.filter(({ parts }) => nests !== undefined && parts[0] === nests && parts.length === 2);
    const names = outer.map(({ name }) => name);
    const expected = [
      ...outer.filter(({ required }) => required).map(({ name }) => name),
      ...inner
        .filter(({ required, parts: [, name = ''] }) => required && isNestThere && !names.includes(name))
        .map(({ parts: [, name = ''] }) => name),
    ];
    const isField = (name: string) => !name.endsWith('[]');
    const { required = [] } = printedSchema(prints) as unknown as Document;
    expect(required.toSorted()).toEqual(expected.filter(isField).toSorted());
  });
});
