import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type * as z from 'zod/mini';
import { CATALOGUE } from '../../src/commands/catalogue.ts';
import { endpoints } from '../../src/contract/endpoints/index.ts';
import { shapeOf, unwrap } from '../../src/contract/rows.ts';
import { ROOT } from '../support/built.ts';

/** Request fields, and the flags and arguments that carry them. */

const COMMANDS = (await Promise.all(CATALOGUE.map((group) => group.load()))).flat().filter(({ isLocal }) => !isLocal);

/** The request fields that no flag reaches, by endpoint, and why. */
const WITHOUT_FLAG: Readonly<Record<string, readonly [fields: readonly string[], why: string]>> = {
  'users.set-status': [['active'], 'the command says it: activate or deactivate'],
  'wallets.set-external-status': [['status'], 'the command says it: enable or disable'],
  'fx.update-limit-order': [['status'], 'the command says it: pause or resume'],
  'fx.auto-signing-disable': [['enabled'], 'the command says it'],
  'fx.auto-signing-enable': [['enabled'], 'the command says it'],
  'management.toggle-webhook': [['enabled'], 'the command says it: enable or disable'],
  'management.ip-allowlist': [['action'], 'the command says it: list, add or remove'],
  'users.list': [['orderBy'], 'another name of sortBy'],
  'management.update-onramp-asset': [['preferences.defaultAsset'], 'the same as preferredAsset'],
  'transactions.onramp-status': [['walletAddress'], 'the argument takes the id or the address'],
  'transactions.recover-status': [['uuid'], 'another name of requestId'],
  'fees.verify-withdrawal': [['transactionReference'], 'the argument takes the id or the reference'],
  'transactions.recover-status-post': [
    [
      'requestId',
      'signingRequestUuid',
      'batch',
      'signingRequestUuids',
      'options.resumePolling',
      'options.updateWalletBalance',
      'uuids',
    ],
    'recover uses the other method of this endpoint; many requests at once are many commands',
  ],
  'fx.create-limit-order': [
    ['pair', 'side', 'price', 'spread', 'minAmount', 'maxAmount'],
    'fx orders create uses the newer endpoint for the same order',
  ],
  'transactions.offramp': [['ticker'], 'an offramp converts cNGN'],
  'bridge.quote': [['token'], 'the bridge moves cNGN'],
  'bridge.initiate': [['token'], 'the bridge moves cNGN'],
  'management.autosigning-config': [['fintechId'], 'the key says which account it is'],
  'management.create-sandbox-key': [['fintechName'], 'the key says which account it is'],
  'management.store-public-key': [
    ['data', 'encrypted', 'iv'],
    'made from the new key; --aes-envelope chooses the form',
  ],
};

/** Fields of pages, which --after and --all carry. */
const PAGES = ['offset', 'page', 'startAfter'];

/** Where the flag cannot be found by the name of the field: the name of the parameter. */
const FOUND: Readonly<Record<string, string>> = {
  'management.set-webhook secret': '--secret-stdin',
  'management.set-webhook enabled': '--disabled',
  'management.ip-allowlist ipAddress': 'address',
  'management.ip-allowlist description': '--label',
  'fees.manage metadata.description': '--description',
  'fees.manage metadata.lastUpdatedBy': '--updated-by',
};

/** The paths of the fields that have values: `preferences.autoSwap`. */
function leavesOf(schema: z.ZodMiniType, above: readonly string[] = []): string[] {
  return Object.entries(shapeOf(schema) ?? {}).flatMap(([name, field]) => {
    const inner = unwrap(field).schema;
    const path = [...above, name];
    return Object.keys(shapeOf(inner) ?? {}).length > 0 ? leavesOf(inner, path) : [path.join('.')];
  });
}

/** The flags and arguments of the commands for an endpoint that carry a field. */
function carriers(endpoint: string, field: string): string[] {
  const commands = COMMANDS.filter((command) => command.endpoints.includes(endpoint));
  const named = FOUND[`${endpoint} ${field}`];
  const found = commands.flatMap(({ parameters, fields }) => {
    const key = fields?.[field] ?? field;
    const parameter = named
      ? Object.values(parameters).find(({ name }) => name === named || name.startsWith(`${named} `))
      : Object.hasOwn(parameters, key) && parameters[key];
    return parameter
      ? [parameter.kind === 'option' ? (/--[\w-]+/.exec(parameter.name)?.[0] ?? '') : parameter.name]
      : [];
  });
  return [...new Set(found)];
}

const FIELDS = endpoints.flatMap(({ id, request }) => leavesOf(request()).map((field) => ({ id, field })));

test('each request field of the contract is reached by a flag, or listed with the reason', () => {
  expect(endpoints.flatMap(({ aliases = [] }) => [1, ...aliases])).toHaveLength(91);
  const found = FIELDS.filter(({ id, field }) => {
    const isListed = PAGES.includes(field) || WITHOUT_FLAG[id]?.[0].includes(field) === true;
    return isListed === carriers(id, field).length > 0;
  });
  expect(found).toEqual([]);
  const known = new Set(FIELDS.map(({ id, field }) => `${id} ${field}`));
  const listed = [
    ...Object.entries(WITHOUT_FLAG).flatMap(([id, [fields]]) => fields.map((field) => `${id} ${field}`)),
    ...Object.keys(FOUND),
  ];
  expect(listed.filter((each) => !known.has(each))).toEqual([]);
});

/** `callbackUrl` as it would be typed. */
const typed = (field: string) =>
  (field.split('.').at(-1) ?? '').replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

test('a flag has the name of its field, or docs/contributing/naming.md says why not', () => {
  const differing = new Map<string, Set<string>>();
  for (const { id, field } of FIELDS)
    for (const flag of carriers(id, field)) {
      const last = field.split('.').at(-1) ?? '';
      if (!flag.startsWith('--') || flag === `--${typed(field)}`) continue;
      differing.set(flag, (differing.get(flag) ?? new Set()).add(last));
    }
  const [, section = ''] = readFileSync(join(ROOT, 'docs/contributing/naming.md'), 'utf8').split(
    'A flag for a request field',
  );
  const table = [...(section.split('\n## ')[0] ?? '').matchAll(/^\| `(--[\w-]+)` \| ([^|]*) \|/gm)].map(
    ([, flag = '', fields = '']): [string, string[]] => [
      flag,
      [...fields.matchAll(/`(\w+)`/g)].map(([, name = '']) => name),
    ],
  );
  const sorted = (rows: readonly [string, readonly string[]][]) =>
    rows.map(([flag, fields]) => `${flag}: ${fields.toSorted().join(', ')}`).toSorted();
  expect(sorted(table)).toEqual(sorted([...differing].map(([flag, fields]) => [flag, [...fields]])));
});
