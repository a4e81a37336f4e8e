import type { IncomingMessage, ServerResponse } from 'node:http';
import { bodyOf, httpServer } from '../support/loopback.ts';
import { PLANTED } from './planted.ts';

/** How the service responds; every way echoes the whole request, with its headers. */
export type Manner =
  | 'refuses'
  | 'forbids'
  | 'crashes'
  | 'breaks off'
  | 'rambles'
  | 'redirects'
  | 'limits'
  | 'hangs up'
  | 'succeeds'
  | 'holds the new key';

export interface EchoService {
  readonly baseUrl: string;
  manner: Manner;
  /** The key that a rotation returns. */
  newKey: string;
  /** Resolves when a request waits for `release`. */
  held(): Promise<void>;
  release(): void;
}

/** The data of a success besides the echo, so that every kind of command continues. */
const fieldsFor = (path: string, newKey: string): object => {
  if (path.endsWith('/regenerateapikey')) return { apiKey: newKey };
  if (path.endsWith('/createsandboxapikey'))
    return {
      apiKey: PLANTED.sandboxKey.text,
      fintechId: 'f',
      createdAt: '2026-01-05T09:00:00.000Z',
      note: 'shown once',
    };
  if (path.endsWith('/getaeskey')) return { aesKey: PLANTED.aesKey.text };
  if (path.endsWith('/getplatformpublickey')) return { publicKey: 'ab'.repeat(32) };
  return { requestId: '0198c1f2-5d0e-7cc3-98a1-0a54b2f0b1de', isAllowed: true, yourIp: '203.0.*.*', status: 'pending' };
};

export async function echoService(): Promise<EchoService> {
  let letGo = () => {};
  let arrived = () => {};
  let waiting: Promise<void>;
  const expectOne = () => {
    waiting = new Promise((resolve) => {
      arrived = resolve;
    });
  };
  expectOne();
  const state: EchoService = {
    baseUrl: '',
    manner: 'refuses',
    newKey: PLANTED.newKey.text,
    held: () => waiting,
    release: () => {
      letGo();
      expectOne();
    },
  };
  const { baseUrl } = await httpServer(async (request, response) => {
    const heard = { url: request.url, headers: request.headers, raw: request.rawHeaders, body: await bodyOf(request) };
    const { pathname } = new URL(request.url ?? '', 'http://localhost');
    if (state.manner === 'holds the new key' && pathname.endsWith('/regenerateapikey')) {
      arrived();
      await new Promise<void>((resolve) => {
        letGo = resolve;
      });
    }
    answer(state, pathname, heard, request, response);
  });
  return Object.assign(state, { baseUrl });
}

function answer(
  { manner, newKey }: EchoService,
  path: string,
  heard: object,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const echo = JSON.stringify(heard);
  const send = (status: number, body: string, headers: Record<string, string> = {}) =>
    response
      .writeHead(status, { 'content-type': 'application/json', 'x-echo': encodeURIComponent(echo), ...headers })
      .end(body);
  const envelope = (status: number, code: string) =>
    send(
      status,
      JSON.stringify({
        status: 'Error',
        response_code: code,
        message: `you sent ${echo}`,
        error: echo,
        data: { error: echo },
      }),
    );
  const manners: Readonly<Record<Manner, () => unknown>> = {
    refuses: () => envelope(400, '01'),
    forbids: () => envelope(401, '03'),
    crashes: () => send(500, `<html><pre>${echo}</pre></html>`, { 'content-type': 'text/html' }),
    'breaks off': () =>
      send(200, `{"status":"Success","response_code":"00","message":${JSON.stringify(echo)},"data":{`),
    rambles: () => send(200, JSON.stringify({ response_code: 7, heard })),
    redirects: () => send(302, echo, { location: `/v1/elsewhere?heard=${encodeURIComponent(echo)}` }),
    limits: () =>
      send(429, JSON.stringify({ status: 'Error', response_code: '04', message: echo, data: { retry_after: 3000 } })),
    'hangs up': () => request.socket.destroy(),
    succeeds: () => send(200, success(path, newKey, heard)),
    'holds the new key': () => send(200, success(path, newKey, heard)),
  };
  manners[manner]();
}

const success = (path: string, newKey: string, heard: object) =>
  JSON.stringify({
    status: 'Success',
    response_code: '00',
    message: `done: ${JSON.stringify(heard)}`,
    data: { ...fieldsFor(path, newKey), heard, note: JSON.stringify(heard) },
  });
