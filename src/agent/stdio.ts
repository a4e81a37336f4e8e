import { type JSONRPCMessage, parseJSONRPCMessage, type Transport } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { World } from '../base/world.ts';
import type { Calling } from './calls.ts';
import { type About, serverFactory } from './server.ts';

/** A longer message is skipped. */
const LONGEST_MESSAGE = 1024 * 1024;
/** As long as the client has more than this to read, nothing more is read from it. */
const MOST_UNREAD = 1024 * 1024;

/** Lines of standard input, without those that are too long; `null` stands for one of these. */
async function* linesOf(parts: AsyncIterable<Uint8Array>): AsyncGenerator<string | null> {
  const decoder = new TextDecoder();
  let line = '';
  let isSkipped = false;
  for await (const part of parts) {
    const [first = '', ...others] = decoder.decode(part, { stream: true }).split('\n');
    line += first;
    for (const next of others) {
      yield isSkipped ? null : line;
      line = next;
      isSkipped = false;
    }
    if (line.length <= LONGEST_MESSAGE) continue;
    line = '';
    isSkipped = true;
  }
}

type Streams = Pick<World, 'inputParts' | 'stdout' | 'turn'>;

interface StdioTransport extends Transport {
  /** Resolves when the client has ended its input and everything was written. */
  readonly ended: Promise<void>;
}

/**
 * Messages over the standard streams of the World, one a line. What is no message is reported and skipped. A client that does not read
 * is not read from either, so that nothing piles up here.
 */
function stdioTransport({ inputParts, stdout, turn }: Streams, idle: () => Promise<void>): StdioTransport {
  let unread = 0;
  let written: Promise<void> = Promise.resolve();
  let isClosed = false;
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const transport: StdioTransport = {
    ended,
    start: async () => void read().then(end, end),
    send: (message) => {
      const text = `${JSON.stringify(message)}\n`;
      unread += text.length;
      const done = written.then(() => (isClosed ? undefined : stdout.write(text)));
      written = done.then(
        () => {
          unread -= text.length;
        },
        () => {
          // The client is gone.
          isClosed = true;
        },
      );
      return done;
    },
    close: async () => {
      isClosed = true;
      end();
    },
  };
  async function read() {
    for await (const line of linesOf(inputParts())) {
      if (isClosed) break;
      if (line === '') continue;
      const message = line === null ? undefined : messageIn(line);
      if (message) transport.onmessage?.(message);
      else transport.onerror?.(new Error('a line of the client is no message'));
      while (unread > MOST_UNREAD && !isClosed) await written;
    }
    // What was asked for before is still answered.
    await turn();
    await idle();
    await turn();
    await written;
    transport.onclose?.();
  }
  return transport;
}

function messageIn(line: string): JSONRPCMessage | undefined {
  try {
    return parseJSONRPCMessage(JSON.parse(line));
  } catch {
    return undefined;
  }
}

/** Serves one client over standard input and output, until it ends its input. `report` is told about what is no message. */
export async function serveOverStdio(
  world: Streams & Pick<World, 'interrupted'>,
  calling: Calling,
  about: About,
  report: (what: string) => void,
): Promise<void> {
  const transport = stdioTransport(world, calling.turns.idle);
  const handle = serveStdio(serverFactory(calling, about), {
    transport,
    onerror: ({ message }) => report(message),
  });
  const interrupted = new Promise<void>((resolve) => {
    world.interrupted.addEventListener('abort', () => resolve(), { once: true });
  });
  await Promise.race([transport.ended, interrupted]);
  await handle.close();
}
