import { advice } from '../../base/advice.ts';
import { isWide, USUAL_RANGES } from '../cidr.ts';
import { endpoint, invalid, refusal } from '../endpoint.ts';
import * as f from '../fields.ts';

const count = () => f.maybe(f.integer('public'));

/** Four actions on one path with different effects. */
export const ipAllowlist = endpoint({
  id: 'management.ip-allowlist',
  method: 'POST',
  path: '/manageipallowlist',
  effect: 'write',
  consents: {
    ipAddress: { kind: 'access', unless: { words: USUAL_RANGES, holds: (value) => !isWide(String(value)) } },
  },
  effects: { field: 'action', of: { list: 'read', check: 'read', add: 'write', remove: 'destructive' } },
  summary: 'List, check, add or remove IP addresses on the allowlist',
  done: 'IP allowlist request processed',
  repeats: { action: 'action', ipAddress: ['ipAddress', 'removed'] },
  request: () =>
    f.fields({
      action: f.oneOf('interface', ['list', 'add', 'remove', 'check']),
      ipAddress: f.optional(
        f.text('interface', { personal: 'ip', rule: 'an IPv4 or IPv6 address, or a CIDR range', names: 'ip' }),
      ),
      index: f.optional(f.integer('public', { rule: '0 or more; the position in the list' })),
      description: f.optional(f.text('public', { personal: 'text' })),
    }),
  response: () =>
    f.payload({
      action: f.maybeText('public'),
      ipAddresses: f.maybe(
        f.list(
          'public',
          f.group('public', {
            index: count(),
            ip: f.maybeText('public', { personal: 'ip' }),
            description: f.maybeText('public', { personal: 'text' }),
          }),
        ),
      ),
      totalIps: count(),
      ipAddress: f.maybeText('public', { personal: 'ip' }),
      removed: f.maybeText('public', { personal: 'ip' }),
      message: f.maybeText('public', { personal: 'text' }),
      propagationTime: f.maybeText('public'),
      yourIp: f.maybeText('public', { personal: 'ip' }),
      isAllowed: f.maybe(f.flag('public')),
      matchedRule: f.maybeText('public', { personal: 'ip' }),
      totalConfiguredIps: count(),
      note: f.maybeText('public', { personal: 'text' }),
      cacheInfo: f.maybe(
        f.group('public', {
          ttlSeconds: count(),
          propagationTime: f.maybeText('public'),
          cacheRefreshed: f.maybe(f.flag('public')),
        }),
      ),
    }),
  errors: [
    invalid('inferred', 'the action is unknown, or the address is missing or malformed'),
    refusal(
      'NOT_FOUND',
      'inferred',
      'the address or index is not on the list',
      advice`list the allowed addresses with: [fiatrail ip list]`,
    ),
  ],
});
