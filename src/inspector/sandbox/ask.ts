import { CliError } from '../../base/errors.ts';
import { isJsonObject, parseExactJson } from '../../money/decimal.ts';
import type { Sandbox } from '../../sandbox/app.ts';

/** Asks the sandbox as its own account, and returns what it says. Rejects with CliError with what it refuses. */
export type AskSandbox = (method: string, url: string, input?: object) => Promise<Record<string, unknown>>;

export function askingOf(sandbox: Pick<Sandbox, 'fetch' | 'apiKey'>): AskSandbox {
  return async (method, url, input) => {
    const body = input === undefined || method === 'GET' ? '' : JSON.stringify(input);
    const headers = body === '' ? {} : { 'content-type': 'application/json' };
    const caller = { apiKey: sandbox.apiKey(), address: '127.0.0.1' };
    const response = await sandbox.fetch({ method, url, headers, body }, caller);
    const answer = parseExactJson(response.body);
    if (response.status < 300 && isJsonObject(answer) && isJsonObject(answer['data'])) return answer['data'];
    const why = isJsonObject(answer) ? answer['error'] : undefined;
    const reason = isJsonObject(why) ? (why['details'] ?? why['message']) : why;
    throw new CliError(
      'usage',
      typeof reason === 'string' ? reason : `the sandbox responded with HTTP ${response.status}`,
    );
  };
}
