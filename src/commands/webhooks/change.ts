import { CliError } from '../../base/errors.ts';

/** Sets a field of an event's content; each part of the path but the last must be there. Throws CliError usage. */
export function setAt(content: Record<string, unknown>, [name = '', ...rest]: readonly string[], value: unknown): void {
  // Only fields of its own: `__proto__` is a field like any other.
  const inner = Object.hasOwn(content, name) ? content[name] : undefined;
  if (rest.length === 0)
    Object.defineProperty(content, name, { value, configurable: true, enumerable: true, writable: true });
  else if (typeof inner === 'object' && inner !== null && !Array.isArray(inner))
    setAt(inner as Record<string, unknown>, rest, value);
  else
    throw new CliError('usage', `--set: the event has no field ${name} that contains ${rest.join('.')}`, {
      hint: 'see the fields with: fiatrail webhooks events EVENT',
    });
}
