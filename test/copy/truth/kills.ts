import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type Home, newHome, ROOT, startFiatrail } from '../../support/built.ts';
import type { Served } from './rig.ts';

/** Longer than it takes to write a page. */
const LONGEST_WRITE_MS = 15;

/** What stands between programs and a sandbox, and tells of each request. */
export interface Between {
  readonly url: string;
  onRequest: (() => void) | undefined;
}

export async function between({ url }: Served): Promise<Between> {
  const { hostname, port } = new URL(url);
  const it: { url: string; onRequest: (() => void) | undefined } = { url: '', onRequest: undefined };
  const server = http.createServer((request, response) => {
    it.onRequest?.();
    const { method, headers, url: path } = request;
    const sent = http.request({ hostname, port, method, path, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    sent.on('error', () => response.destroy());
    request.pipe(sent);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  it.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  return it;
}

/** A home whose programs have the sandbox's time. */
export function homeAt(service: Served, { url }: Between, env: Readonly<Record<string, string>> = {}): Home {
  const home = newHome(onTestFinished);
  return {
    ...home,
    env: { ...home.env, FIATRAIL_BASE_URL: url, FIATRAIL_API_KEY: service.apiKey, ...env },
  };
}

/** Starts a sync and kills it after some requests; it may have ended before. Returns whether it was killed. */
export async function killedSync(
  service: Served,
  way: Between,
  home: Home,
  { requests, waitMs }: { readonly requests: number; readonly waitMs: number },
): Promise<boolean> {
  const env = {
    ...home.env,
    NODE_OPTIONS: `--require ${join(ROOT, 'test', 'copy', 'truth', 'shifted-clock.cjs')}`,
    FIATRAIL_TEST_AHEAD_MS: String(service.now() - Date.now()),
  };
  const running = startFiatrail({ ...home, env }, ['sync', '-q']);
  let left = requests;
  way.onRequest = () => {
    left -= 1;
    if (left === 0) setTimeout(() => running.kill('SIGKILL'), waitMs);
  };
  const { code, stderr } = await running.end;
  way.onRequest = undefined;
  if (code !== null && code !== 0) throw new Error(`a sync ended with ${code}: ${stderr}`);
  return code === null;
}

/** Where a sync is killed, by chance. */
export const somewhere = (chance: () => number, mostRequests: number) => ({
  requests: 1 + Math.floor(chance() * mostRequests),
  waitMs: chance() * LONGEST_WRITE_MS,
});
