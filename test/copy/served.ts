import { httpServer } from '../support/loopback.ts';
import { type MovingService, movingService } from './moving-service.ts';

/** A row of chance, so that a failure can be repeated. */
export function chances(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

/** Serves moving lists over HTTP, for programs. */
export async function servedMoving(now: () => number): Promise<{ service: MovingService; baseUrl: string }> {
  const service = movingService(now);
  const { baseUrl } = await httpServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', async () => {
      const url = `http://service.invalid${request.url}`;
      const answer = await service.exchange(
        { method: request.method ?? '', url, headers: {}, body: body === '' ? undefined : body },
        new AbortController().signal,
      );
      response.writeHead(answer.status, answer.headers).end(answer.body);
    });
  });
  return { service, baseUrl };
}
