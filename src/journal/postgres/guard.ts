import { ServerError, type ServerProblem } from './errors.ts';

/** How much a server may send. */
const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;
const MAX_ANSWER_BYTES = 256 * 1024 * 1024;
const MAX_ANSWER_ROWS = 1_000_000;
/** Everything until the login is over: a few parameters, and perhaps a notice. */
const MAX_LOGIN_BYTES = 1024 * 1024;
const MAX_LOGIN_MESSAGE_BYTES = 16 * 1024;

/** Fewer iterations would let whoever reads the connection try many passwords. Source: RFC 7677. */
const MIN_SCRAM_ITERATIONS = 4096;
/** More would keep this machine busy for a server that proves nothing. Source: inferred. */
export const MAX_SCRAM_ITERATIONS = 1_000_000;

/** A message begins with its type and a length, which counts itself (https://www.postgresql.org/docs/current/protocol-message-formats.html). */
const HEADER_BYTES = 5;
const LENGTH_BYTES = 4;
const TYPE = { authentication: 'R', row: 'D', ready: 'Z' } as const;
const LOGIN = { done: 0, scram: 10, scramContinue: 11, scramFinal: 12 } as const;

/** What the driver uses of a stream to read it. */
interface Readable {
  on(event: string, listener: (bytes: Buffer) => void): unknown;
}

interface Stream extends Readable {
  destroy(error: Error): unknown;
}

/** The part of the driver's connection that is guarded: where it begins to read the stream, with or without TLS. */
interface Guarded {
  attachListeners(stream: Readable): void;
}

/**
 * Lets the driver see only what a server may send: another login than SCRAM, or more than an answer has, ends the connection. `needsProof`:
 * nothing else has shown yet who the server is, so that one which asks for no password is refused too.
 */
export function guard(connection: object, address: string, needsProof: boolean): void {
  const guarded = connection as Guarded;
  const attach = guarded.attachListeners.bind(guarded);
  guarded.attachListeners = (given) => {
    const stream = given as Stream;
    const problemIn = watch(needsProof);
    const checked = (listener: (bytes: Buffer) => void) => (bytes: Buffer) => {
      const problem = problemIn(bytes);
      if (problem) stream.destroy(new ServerError(problem, address));
      else listener(bytes);
    };
    attach({ on: (event, listener) => stream.on(event, event === 'data' ? checked(listener) : listener) });
  };
}

/** Returns a function that is given all that a server sends, in order, and returns what is wrong with it. */
function watch(needsProof: boolean): (bytes: Buffer) => ServerProblem | undefined {
  const header = Buffer.alloc(HEADER_BYTES);
  let headerBytes = 0;
  let bodyBytes = 0;
  let login: Buffer[] | undefined;
  let step: number | undefined;
  let answer = { bytes: 0, rows: 0 };
  let isLoggedIn = false;

  const begun = (): ServerProblem | undefined => {
    const type = String.fromCharCode(header[0] ?? 0);
    bodyBytes = header.readUInt32BE(1) - LENGTH_BYTES;
    if (bodyBytes < 0 || bodyBytes > MAX_MESSAGE_BYTES) return 'oversized';
    if (type === TYPE.ready) {
      answer = { bytes: 0, rows: 0 };
      isLoggedIn = true;
    }
    if (type === TYPE.row) answer.rows += 1;
    if (type !== TYPE.authentication) return answer.rows > MAX_ANSWER_ROWS ? 'oversized' : undefined;
    login = [];
    return bodyBytes > MAX_LOGIN_MESSAGE_BYTES ? 'oversized' : undefined;
  };
  const ended = (): ServerProblem | undefined => {
    const message = login && Buffer.concat(login);
    headerBytes = 0;
    login = undefined;
    if (!message) return undefined;
    const isNext = isNextLogin(step, message, needsProof);
    step = message.length < LENGTH_BYTES ? undefined : message.readUInt32BE(0);
    return isNext ? undefined : 'login';
  };
  return (bytes) => {
    answer.bytes += bytes.length;
    if (answer.bytes > (isLoggedIn ? MAX_ANSWER_BYTES : MAX_LOGIN_BYTES)) return 'oversized';
    for (let at = 0; at < bytes.length; ) {
      let problem: ServerProblem | undefined;
      if (headerBytes < HEADER_BYTES) {
        const taken = bytes.copy(header, headerBytes, at);
        headerBytes += taken;
        at += taken;
        if (headerBytes === HEADER_BYTES) problem = begun();
      } else {
        const taken = Math.min(bodyBytes, bytes.length - at);
        login?.push(bytes.subarray(at, at + taken));
        bodyBytes -= taken;
        at += taken;
      }
      if (!problem && headerBytes === HEADER_BYTES && bodyBytes === 0) problem = ended();
      if (problem) return problem;
    }
    return undefined;
  };
}

/** A server that asks for a password proves in the end that it knows it too. One that asks for none gets none. */
function isNextLogin(before: number | undefined, message: Buffer, needsProof: boolean): boolean {
  if (message.length < LENGTH_BYTES) return false;
  switch (message.readUInt32BE(0)) {
    case LOGIN.done:
      return before === LOGIN.scramFinal || (before === undefined && !needsProof);
    case LOGIN.scram:
      return before === undefined;
    case LOGIN.scramContinue:
      return before === LOGIN.scram && hasFairIterations(message.toString('latin1', LENGTH_BYTES));
    case LOGIN.scramFinal:
      return before === LOGIN.scramContinue;
    default:
      return false;
  }
}

function hasFairIterations(text: string): boolean {
  const counts = text.split(',').filter((each) => each.startsWith('i='));
  const [count] = counts;
  if (counts.length !== 1 || count === undefined || !/^i=[1-9]\d{0,8}$/.test(count)) return false;
  const iterations = Number(count.slice(2));
  return iterations >= MIN_SCRAM_ITERATIONS && iterations <= MAX_SCRAM_ITERATIONS;
}
