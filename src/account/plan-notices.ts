import { parseArgsStringToArgv } from 'string-argv';
import { CliError } from '../base/errors.ts';
import { isLoopback } from '../client/proxy.ts';

const URL_HINT = 'write it as https://host/path, or http://127.0.0.1:PORT/path for a program on this machine';

/** Validates a URL that is told about plans: https, or http on this machine. Throws CliError usage. */
export function planNoticeUrl(text: string): string {
  const refuse = (why: string) => new CliError('usage', `the URL ${why}`, { hint: URL_HINT });
  if (/[\s\p{Cc}\\]/u.test(text) || !URL.canParse(text)) throw refuse('is not a valid URL');
  const url = new URL(text);
  if (url.username || url.password) throw refuse('contains a user name or password');
  if (url.hash) throw refuse('contains a fragment');
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url.hostname)))
    throw refuse('is not https, so what a plan says would be sent unencrypted');
  return url.href;
}

/** Validates a command that is told about plans. Throws CliError usage. */
export function planNoticeCommand(text: string): string {
  if (!/\p{Cc}/u.test(text) && planNoticeWords(text)[0]?.trim()) return text;
  throw new CliError('usage', 'the command is empty or has more than one line', {
    hint: 'give a program and its arguments: "/usr/local/bin/tell-approvers --queue plans"',
  });
}

/** Returns the program of a command, and its arguments. */
export const planNoticeWords = (command: string): readonly string[] => parseArgsStringToArgv(command);
