import { Client, type JSONRPCMessage, type Transport } from '@modelcontextprotocol/client';
import type { AtEnd, Home, Ran } from '../support/built.ts';
import { type HereOptions, startFiatrail } from '../support/in-process.ts';

/** A stream of bytes that a test writes to. */
function inputOf() {
  const waiting: Uint8Array[] = [];
  let isEnded = false;
  let wake = () => {};
  async function* parts() {
    for (;;) {
      const next = waiting.shift();
      if (next) yield next;
      else if (isEnded) return;
      else
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    }
  }
  return {
    parts: parts(),
    write: (text: string) => {
      waiting.push(Buffer.from(text));
      wake();
    },
    end: () => {
      isEnded = true;
      wake();
    },
  };
}

/** `fiatrail mcp` in this process. */
export interface Serving {
  write(text: string): void;
  /** Resolves with the next message that it writes. */
  next(): Promise<Record<string, unknown>>;
  /** What a client connects with. */
  readonly transport: Transport;
  /** Ends its input, and returns what it said. */
  end(): Promise<Ran>;
}

export function serve(home: Home, argv: readonly string[], options: HereOptions = {}): Serving {
  const input = inputOf();
  let rest = '';
  const messages: Record<string, unknown>[] = [];
  let wake = () => {};
  const transport: Transport = {
    start: async () => {},
    send: async (message) => input.write(`${JSON.stringify(message)}\n`),
    close: async () => input.end(),
  };
  const running = startFiatrail(home, ['mcp', ...argv], {
    ...options,
    parts: input.parts,
    heard: (stream, text) => {
      if (stream !== 'stdout') return;
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        const message = JSON.parse(line) as JSONRPCMessage;
        if (transport.onmessage) transport.onmessage(message);
        else {
          messages.push(message as unknown as Record<string, unknown>);
          wake();
        }
      }
    },
  });
  return {
    write: input.write,
    transport,
    next: async () => {
      while (messages.length === 0)
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      return messages.shift() ?? {};
    },
    end: () => {
      input.end();
      return running.end;
    },
  };
}

/** What a tool answers, as programs read it. */
export interface Answered {
  readonly isError: boolean;
  readonly data?: Record<string, unknown>;
  readonly warnings?: readonly string[];
  readonly cursor?: string;
  readonly error?: Record<string, unknown>;
}

export interface Connected {
  readonly client: Client;
  call(name: string, given?: Record<string, unknown>): Promise<Answered>;
  end(): Promise<Ran>;
}

/** Connects the official client to a server in this process. */
export async function connect(
  home: Home,
  argv: readonly string[],
  atEnd: AtEnd,
  options: HereOptions = {},
): Promise<Connected> {
  const serving = serve(home, argv, options);
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(serving.transport);
  let ended: Promise<Ran> | undefined;
  const end = () => {
    ended ??= serving.end();
    return ended;
  };
  atEnd(async () => void (await end()));
  return {
    client,
    end,
    call: async (name, given = {}) => {
      const { structuredContent, isError, content } = await client.callTool({ name, arguments: given });
      const [text] = content as { readonly text: string }[];
      const answer = structuredContent as Omit<Answered, 'isError'>;
      if (JSON.stringify(answer) !== text?.text) throw new Error('the text differs from the structured content');
      return { isError: isError === true, ...answer };
    },
  };
}
