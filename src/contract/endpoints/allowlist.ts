import { endpoint, managementLimits } from '../endpoint.ts';
import { fields, flag, group, integer, list, maybe, maybeText, oneOf, optional, payload, text } from '../fields.ts';

const count = () => maybe(integer('public'));

/** Four actions on one path with different effects. */
export const ipAllowlist = endpoint({
  ...managementLimits,
  id: 'management.ip-allowlist',
  method: 'POST',
  path: '/manageipallowlist',
  effect: 'write',
  effects: { field: 'action', of: { list: 'read', check: 'read', add: 'write', remove: 'destructive' } },
  summary: 'List, check, add or remove IP addresses on the allowlist',
  done: 'IP allowlist request processed',
  request: () =>
    fields({
      action: oneOf('interface', ['list', 'add', 'remove', 'check']),
      ipAddress: optional(text('interface', { rule: 'an IPv4 or IPv6 address, or a CIDR range' })),
      index: optional(integer('public', { rule: '0 or more; the position in the list' })),
      description: optional(text('public')),
    }),
  response: () =>
    payload({
      action: maybeText('public'),
      ipAddresses: maybe(
        list('public', group('public', { index: count(), ip: maybeText('public'), description: maybeText('public') })),
      ),
      totalIps: count(),
      ipAddress: maybeText('public'),
      removed: maybeText('public'),
      message: maybeText('public'),
      propagationTime: maybeText('public'),
      yourIp: maybeText('public'),
      isAllowed: maybe(flag('public')),
      matchedRule: maybeText('public'),
      totalConfiguredIps: count(),
      note: maybeText('public'),
      cacheInfo: maybe(
        group('public', {
          ttlSeconds: count(),
          propagationTime: maybeText('public'),
          cacheRefreshed: maybe(flag('public')),
        }),
      ),
    }),
  errors: [
    {
      when: 'the action is unknown, or the address is missing or malformed',
      fault: 'VALIDATION_ERROR',
      source: 'inferred',
    },
    {
      when: 'the address or index is not on the list',
      fault: 'NOT_FOUND',
      source: 'inferred',
      remedy: 'list the allowed addresses with: fiatrail ip list',
    },
  ],
});
