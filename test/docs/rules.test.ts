import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Endpoint, MoveTarget } from '../../src/contract/endpoint.ts';
import { endpoints } from '../../src/contract/endpoints/index.ts';
import { assetsOf } from '../../src/contract/moves.ts';
import { ROOT } from '../support/built.ts';

const PAGE = readFileSync(join(ROOT, 'docs', 'controls.md'), 'utf8');

function destination(target: MoveTarget): string {
  if (target === 'unknown') return 'not in the request, so a list stops it';
  if ('bankCode' in target) return 'bank account';
  if ('savedAccount' in target) return 'saved bank account, looked up';
  if ('user' in target) return 'user';
  if ('walletOf' in target) return 'default wallet of the user, looked up';
  if (target.orUser !== undefined) return `\`${target.address}\`, or else the user`;
  return `\`${target.address}\`${target.isOptional ? ', if given' : ''}`;
}

/** A row of the contract as the page says it. */
function rowOf(endpoint: Endpoint): readonly string[] {
  const { moves, redirects } = endpoint;
  const row = moves ?? redirects;
  if (!row) return [];
  const nothing = moves ? 'none: money comes in' : 'none: nothing moves yet';
  const assets = assetsOf(endpoint).join(', ') || nothing;
  const to = row.to.map(destination).join('; ') || 'none: it stays with the account';
  const unless = redirects?.unless;
  const values = unless?.isOneOf.map((value) => (value === undefined ? 'left out' : `\`${value}\``)).join(' or ');
  const command = [row.command, moves?.flag].filter(Boolean).join(' ');
  return [`| \`${command}\` | ${assets} | ${to}${unless ? `, unless \`${unless.field}\` is ${values}` : ''} |`];
}

test('the page has the row of the contract for every command that moves money or redirects it', () => {
  const [, section = ''] = PAGE.split('### What counts\n');
  const [table = ''] = section.split('\n### ');
  const rows = table.split('\n').filter((line) => line.startsWith('| `'));
  expect(rows).toEqual([...new Set(endpoints.flatMap(rowOf))].sort());
});
