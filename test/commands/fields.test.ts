import { describe, expect, test } from 'vitest';
import { CATALOGUE } from '../../src/commands/catalogue.ts';
import { controls } from '../../src/contract/control.ts';
import { endpoints } from '../../src/contract/endpoints/index.ts';
import { rowsOf } from '../../src/contract/rows.ts';
import { main } from '../../src/main.ts';
import { inputName } from '../../src/terminal/ask/input.ts';
import type { Command } from '../../src/terminal/command.ts';
import { fakeWorld } from '../support/world.ts';

const commands = (await Promise.all(CATALOGUE.map((group) => group.load()))).flat();
const all = [...endpoints, ...Object.values(controls)];

/** The fields that a command sends without anyone typing them, or that it never sends. */
const NOT_TYPED: Readonly<Record<string, readonly string[]>> = {
  status: ['token', 'networks'],
  'report owed': ['userId', 'token'],
  'users show': ['bvn'],
  'onramp list': ['type'],
  'offramp list': ['type'],
  'payout list': ['type', 'userId'],
  'transfers list': ['type', 'userId'],
  'withdrawals status': ['token', 'status', 'type', 'userId', 'startDate', 'endDate'],
  'transfers status': ['token', 'status', 'type', 'userId', 'startDate', 'endDate'],
  'fx orders update': ['status'],
  'fx orders pause': ['price', 'spread', 'minAmount', 'maxAmount', 'status'],
  'fx orders resume': ['price', 'spread', 'minAmount', 'maxAmount', 'status'],
  'users list': ['orderBy'],
  'users activate': ['active', 'reason'],
  'users deactivate': ['active'],
  'users onramp-asset set': ['preferences.defaultAsset'],
  'fees set': ['metadata.description', 'metadata.lastUpdatedBy'],
  'offramp create': ['ticker'],
  'bridge quote': ['token'],
  'bridge create': ['token'],
  recover: ['uuid'],
  'fees withdrawals status': ['transactionReference'],
  'wallets auto-signing show': ['fintechId'],
  'onramp status': ['walletAddress'],
  'wallets external enable': ['status'],
  'wallets external disable': ['status'],
  'fx auto-signing enable': ['enabled'],
  'fx auto-signing disable': ['enabled'],
  'sandbox seed': ['historyDone', 'historyTotal'],
  'sandbox simulate': ['from'],
  'sandbox restore': ['content'],
  'webhooks set': ['secret', 'enabled'],
  'webhooks enable': ['enabled'],
  'webhooks disable': ['enabled'],
  'webhooks inbox gaps': ['status', 'sortBy', 'orderBy', 'orderDirection'],
};

/** The fields of a page, which --limit and --after give. */
const OF_PAGES = ['limit', 'offset', 'page', 'startAfter'];

/** Commands that check and name their input themselves. */
const OWN_NAMES = ['keys', 'ip'];

describe('a request field that breaks its rule', () => {
  const cases = commands.flatMap((command) => {
    const endpoint = all.find(({ id }) => id === command.endpoints[0]);
    return endpoint && !OWN_NAMES.includes(command.words[0] ?? '')
      ? [{ name: command.words.join(' '), command, fields: leavesOf(rowsOf(endpoint.request())) }]
      : [];
  });

  test.each(cases)('$name: is named as it was typed', ({ name, command, fields }) => {
    const unnamed = fields.filter((field) => inputName(command, field) === field && !isParameter(command, field));
    expect(unnamed.filter((field) => !OF_PAGES.includes(field))).toEqual(NOT_TYPED[name] ?? []);
  });

  test('maps only fields that exist, and only to parameters', () => {
    const wrong = commands.flatMap(({ words, endpoints: ids, parameters, fields = {} }) => {
      const known = ids.flatMap((id) => rowsOf(all.find((each) => each.id === id)?.request() as never));
      return Object.entries(fields).flatMap(([field, key]) =>
        known.some(({ name }) => name === field) && Object.hasOwn(parameters, key)
          ? []
          : [`${words.join(' ')}: ${field}`],
      );
    });
    expect(wrong).toEqual([]);
  });

  const WALLET = '0x52908400098527886E0F7030069857D2E4169EE7';

  test.each([
    [
      ['withdrawals', 'create', 'u', '--amount', '1', '--token', 'USDC', '--from', WALLET, '--to', 'nobody'],
      '--to: expected a valid Base address',
    ],
    [
      [
        'bridge',
        'create',
        '--from-network',
        'base',
        '--to-network',
        'bsc',
        '--amount',
        '5',
        '--from',
        WALLET,
        '--to',
        'nobody',
      ],
      '--to: expected a valid BNB Smart Chain address',
    ],
    [
      ['transfers', 'create', '--amount', '1', '--to', WALLET, '--note', 'a\u0007b'],
      '--note: "a\\u{7}b" has a control or invisible character',
    ],
    [['users', 'deactivate', 'u', '--reason', 'a\u0007b'], '--reason: "a\\u{7}b" has a control or invisible character'],
  ])('%j: %s', async (argv, words) => {
    const world = fakeWorld();
    const code = await main([...argv, '--yes', '-q'], world);
    expect({ isRefused: code !== 0, text: world.stderr.text() }).toEqual({
      isRefused: true,
      text: expect.stringContaining(words),
    });
  });

  test('is named by the object around it, or as the contract does', () => {
    const command = commands.find(({ words }) => words.join(' ') === 'users migrate-wallets') as Command;
    expect(['userId', 'userId.3', 'others.x'].map((field) => inputName(command, field))).toEqual([
      '<user-id>',
      '<user-id>',
      'others.x',
    ]);
  });
});

/** The names of fields that hold no other fields. */
function leavesOf(rows: readonly { readonly name: string }[]): string[] {
  const names = rows.map(({ name }) => name.replaceAll('[]', ''));
  return [...new Set(names)].filter((name) => !names.some((other) => other.startsWith(`${name}.`)));
}

/** Whether the field has the name of an argument. */
function isParameter({ parameters }: Command, field: string): boolean {
  return Object.hasOwn(parameters, field);
}
