import { CliError } from '../../base/errors.ts';
import type { World } from '../../base/world.ts';
import { type IpRange, parseRange } from '../../contract/cidr.ts';

/** Resolves when the user ends a command that runs until then. */
export const untilInterrupted = ({ interrupted }: Pick<World, 'interrupted'>): Promise<void> =>
  new Promise((resolve) => {
    if (interrupted.aborted) resolve();
    interrupted.addEventListener('abort', () => resolve(), { once: true });
  });

const isIpAddress = (text: string) => !text.includes('/') && parseRange(text) !== undefined;

/** Parses an IP address to listen on. Throws CliError usage. */
export const hostAddress = (text: string): string => {
  if (isIpAddress(text)) return text;
  throw new CliError('usage', `invalid address "${text}"`, {
    hint: 'write an IP address, such as 127.0.0.1 or 0.0.0.0',
  });
};

/** Parses the name or the address of a host, without a port. Throws CliError usage. */
export const hostName = (text: string): string => {
  if (isIpAddress(text) || /^[a-z\d]([a-z\d.-]{0,250}[a-z\d])?$/i.test(text)) return text;
  throw new CliError('usage', `invalid host name "${text}"`, {
    hint: 'write the name alone, such as sandbox.internal',
  });
};

/** Parses an IP address or a range in CIDR notation. Throws CliError usage. */
export const addressRange = (text: string): IpRange => {
  const range = parseRange(text);
  if (range) return range;
  throw new CliError('usage', `invalid address "${text}"`, {
    hint: 'write an IP address or a range, such as 10.0.0.0/8',
  });
};
