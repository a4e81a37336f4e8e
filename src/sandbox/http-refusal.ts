import type { HttpResponse } from '../base/world.ts';

/** The HTTP statuses of refusals that concern the HTTP request itself, with their response codes. Source: inferred. */
const REFUSALS = {
  400: { code: '01', reason: 'Bad Request', message: 'The HTTP request is malformed' },
  403: { code: '03', reason: 'Forbidden', message: 'This sandbox does not accept the request' },
  404: { code: '02', reason: 'Not Found', message: 'Not found' },
  408: { code: '01', reason: 'Request Timeout', message: 'The request took too long to arrive' },
  413: { code: '01', reason: 'Content Too Large', message: 'The request or its response is too large' },
  417: { code: '01', reason: 'Expectation Failed', message: 'The expectation cannot be met' },
  431: { code: '01', reason: 'Request Header Fields Too Large', message: 'The headers are too large' },
} as const;

export type RefusalStatus = keyof typeof REFUSALS;

/** Returns the service's envelope for a request that does not reach an endpoint. */
export function httpRefusal(status: RefusalStatus, error: string): HttpResponse {
  const { code, message } = REFUSALS[status];
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8' },
    body: JSON.stringify({ status: 'Error', response_code: code, message, error }),
  };
}

/** Returns the refusal as the text of a whole response, for a connection without a usable request. It closes the connection. */
export function refusalText(status: RefusalStatus, error: string): string {
  const { headers, body } = httpRefusal(status, error);
  const lines = [
    `HTTP/1.1 ${status} ${REFUSALS[status].reason}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ];
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
}

/** Returns the refusal of a request that Node's parser gave up on. */
export function parseRefusal(code: string | undefined): readonly [status: RefusalStatus, error: string] {
  if (code === 'HPE_HEADER_OVERFLOW') return [431, 'the request line and headers are too long'];
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') return [413, 'the chunk extensions are too long'];
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return [408, 'the request was not complete in time'];
  return [400, 'expected an HTTP/1.1 request'];
}
