import { type IncomingHttpHeaders, request } from 'node:http';

/** What an inspector answered. */
export interface Reply {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Asks an inspector, with a body as POST. */
export function ask(origin: string, path: string, headers: Record<string, string> = {}, body?: string): Promise<Reply> {
  return new Promise((resolve, reject) => {
    request(`${origin}${path}`, { method: body === undefined ? 'GET' : 'POST', headers, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part) => {
        text += part;
      });
      response.on('end', () => resolve({ status: response.statusCode, headers: response.headers, body: text }));
    })
      .on('error', reject)
      .end(body);
  });
}

interface Address {
  readonly origin: string;
  readonly token: string;
}

export const enter = ({ origin, token }: Address) => ask(origin, '/enter', { origin }, JSON.stringify({ token }));

/** Returns the cookie of a session. */
export async function session(at: Address): Promise<string> {
  const { headers } = await enter(at);
  return headers['set-cookie']?.[0]?.split(';')[0] ?? '';
}
