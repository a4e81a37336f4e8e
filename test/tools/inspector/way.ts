import { request as ask, type ServerResponse } from 'node:http';
import { onTestFinished } from 'vitest';
import { httpServer } from '../../support/loopback.ts';

/** The way from a browser to a server, as a proxy. */
export interface Way {
  readonly proxy: { readonly server: string };
  /** Ends every connection, and each that is tried until `mend`. */
  lose(): void;
  mend(): void;
}

export async function openWay(): Promise<Way> {
  let isLost = false;
  const open = new Set<ServerResponse>();
  const { port } = await httpServer((request, response) => {
    if (isLost) {
      response.destroy();
      return;
    }
    open.add(response);
    const { url = '', method = 'GET', headers } = request;
    const onward = ask(url, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.on('error', () => response.destroy());
    response.on('close', () => {
      open.delete(response);
      onward.destroy();
    });
    request.pipe(onward);
  }, onTestFinished);
  return {
    proxy: { server: `http://127.0.0.1:${port}` },
    lose: () => {
      isLost = true;
      for (const response of open) response.destroy();
    },
    mend: () => {
      isLost = false;
    },
  };
}
