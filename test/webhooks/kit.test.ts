import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { basename, join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { newKeyPair, seal } from '../../src/crypto/sealed-box.ts';
import { bodyOf, type ReceiveOptions } from '../../src/webhooks/kit.ts';
import type { Delivery } from '../../src/webhooks/verify.ts';
import { block, EXPRESS, HONO, homeWithPackages, NODE, post, startHandler } from '../docs/handlers.ts';
import { ROOT, requireBuilt, startProgram } from '../support/built.ts';
import { deliveryOf, onboarded, SECRET } from './support.ts';

beforeAll(requireBuilt);

/** Checks JavaScript as strictly as TypeScript can. */
const TYPE_CHECK = [
  '--ignoreConfig',
  '--noEmit',
  '--allowJs',
  '--checkJs',
  '--strict',
  '--exactOptionalPropertyTypes',
  '--skipLibCheck',
  '--singleThreaded',
  '--module',
  'nodenext',
  '--target',
  'es2024',
  '--typeRoots',
  join(ROOT, 'node_modules', '@types'),
  '--types',
  'node',
];

const LATE_MS = 5 * 60_000 + 1_000;
const keys = newKeyPair(randomBytes(32));
const sealed = async (event: object, publicKey = keys.publicKey) => ({
  payload: await seal(JSON.stringify(event), publicKey),
});

/** Headers by name, as `deliveryOf` makes them. */
const headersOf = ({ headers }: Delivery) => headers as Readonly<Record<string, string>>;

describe.each([NODE, EXPRESS, HONO])('$file with the built package', (handler) => {
  test('accepts correctly signed deliveries and rejects the others', async () => {
    const { port, printed } = await startHandler(handler, {
      WEBHOOK_SECRET: SECRET,
      PRIVATE_KEYS: `${newKeyPair(randomBytes(32)).privateKey.reveal()},${keys.privateKey.reveal()}`,
    });
    const sentAtMs = Date.now();
    const send = (delivery: Delivery, more: Readonly<Record<string, string | readonly string[]>> = {}) =>
      post(port, { ...headersOf(delivery), ...more }, delivery.body);
    const doubled = (name: string, delivery = deliveryOf(onboarded(1), { sentAtMs })) => {
      const value = headersOf(delivery)[name] ?? '';
      return send(delivery, { [name]: [value, value] });
    };
    const another = newKeyPair(randomBytes(32)).publicKey;
    expect({
      plain: await send(deliveryOf(onboarded(1), { sentAtMs })),
      sealed: await send(deliveryOf(await sealed(onboarded(2)), { sentAtMs })),
      late: await send(deliveryOf(onboarded(3), { sentAtMs: sentAtMs - LATE_MS })),
      forged: await send(deliveryOf(onboarded(4), { sentAtMs, secret: 'another-secret' })),
      altered: await send({
        ...deliveryOf(onboarded(5), { sentAtMs }),
        body: Buffer.from(JSON.stringify(onboarded(6))),
      }),
      twoSignatures: await doubled('x-service-signature'),
      twoTimestamps: await doubled('x-service-timestamp'),
      sealedToAnother: await send(deliveryOf(await sealed(onboarded(7), another), { sentAtMs })),
      noEvent: await send(deliveryOf({ data: {} }, { sentAtMs })),
      noHeaders: await post(port, {}, Buffer.from('{}')),
      noBody: await post(port, {}, Buffer.alloc(0)),
    }).toEqual({
      plain: 200,
      sealed: 200,
      late: 200,
      forged: 401,
      altered: 401,
      twoSignatures: 400,
      twoTimestamps: 400,
      sealedToAnother: 500,
      noEvent: 422,
      noHeaders: 400,
      noBody: 400,
    });
    expect(await printed()).toEqual([
      'user.onboarded request-1',
      'user.onboarded request-2',
      'user.onboarded request-3 late',
    ]);
  });
});

test('the types of the package fit the handlers of the page', async () => {
  const home = homeWithPackages(...HONO.packages);
  const compile = async (...edit: readonly [string, string]) => {
    for (const { file } of [NODE, HONO])
      writeFileSync(join(home.path, file), block('js', `// node ${file}`).replace(...edit));
    const argv = [join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc'), ...TYPE_CHECK, NODE.file, HONO.file];
    return startProgram(home, process.execPath, argv).end;
  };
  expect(await compile('', '')).toEqual({ stdout: '', stderr: '', code: 0 });
  const { stdout } = await compile('process.env.WEBHOOK_SECRET', '5');
  expect(stdout.match(/^\w+\.mjs(?=.*ReceiveOptions)/gm)).toEqual([NODE.file, HONO.file]);
});

/** Receives a `Request`, then prints the event or the error, and the files that it loaded. */
const BARE = `
const { createRequire } = await import('node:module');
const { receive } = LOAD('fiatrail/webhooks');
const { headers, body, options } = JSON.parse(process.argv[2]);
const request = new Request('http://localhost/', { method: 'POST', headers, body });
const received = await receive(request, options).catch(({ name, code, status }) => ({ name, code, status }));
const loaded = Object.keys(createRequire(process.argv[1]).cache);
process.stdout.write(JSON.stringify({ received, loaded }));
`;

interface Bare {
  readonly received: Readonly<Record<string, unknown>>;
  readonly loaded: readonly string[];
}

const FORMS: Readonly<Record<string, string>> = {
  'bare.mjs': BARE.replace('LOAD', 'await import'),
  'bare.cjs': `(async () => {${BARE.replace('LOAD', 'require')}})();`,
};

describe.each(Object.entries(FORMS))('a Request in %s', (file, code) => {
  async function received({ headers, body }: Delivery): Promise<Bare> {
    const home = homeWithPackages();
    writeFileSync(join(home.path, file), code);
    const options = { secret: [SECRET], privateKeys: [keys.privateKey.reveal()] };
    const given = JSON.stringify({ headers, body: Buffer.from(body).toString(), options });
    const { stdout, stderr } = await startProgram(home, process.execPath, [file, given]).end;
    if (stdout === '') throw new Error(stderr);
    const { received, loaded } = JSON.parse(stdout) as Bare;
    return { received, loaded: loaded.map((path) => basename(path)).filter((name) => name !== file) };
  }

  test('is read without loading libsodium if it is plain', async () => {
    const { received: event, loaded } = await received(deliveryOf(onboarded(1), { sentAtMs: Date.now() }));
    expect({ event, loaded }).toMatchObject({
      event: { event: { event: 'user.onboarded', eventId: 'event-1' }, isEncrypted: false, isLate: false },
      loaded: ['kit.cjs'],
    });
  });

  test('is opened with libsodium if it is encrypted', async () => {
    const delivery = deliveryOf(await sealed(onboarded(1)), { sentAtMs: Date.now() });
    const { received: event, loaded } = await received(delivery);
    expect({ event, loaded }).toMatchObject({
      event: { event: { event: 'user.onboarded', eventId: 'event-1' }, isEncrypted: true },
      loaded: ['kit.cjs', 'libsodium-wrappers.cjs'],
    });
  });

  test('is late after 5 minutes', async () => {
    const delivery = deliveryOf(onboarded(1), { sentAtMs: Date.now() - LATE_MS });
    expect((await received(delivery)).received).toMatchObject({ isLate: true });
  });

  test('is rejected if it is forged or has two signatures', async () => {
    const delivery = deliveryOf(onboarded(1), { sentAtMs: Date.now() });
    const pairs = Object.entries(headersOf(delivery));
    const twice = { headers: [...pairs, ...pairs], body: delivery.body };
    const forged = deliveryOf(onboarded(1), { sentAtMs: Date.now(), secret: 'another-secret' });
    expect([(await received(forged)).received, (await received(twice)).received]).toEqual([
      { name: 'WebhookError', code: 'WRONG_SIGNATURE', status: 401 },
      { name: 'WebhookError', code: 'DOUBLED_HEADER', status: 400 },
    ]);
  });
});

/** The start of a request whose body has this length. */
const head = (length: number) => `POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: ${length}\r\n\r\n`;

describe('the body of a request of node:http', () => {
  /** Sends text on one connection to a server that answers with the length of each body; resolves once the connection is closed. */
  async function exchanged(options: ReceiveOptions, text: string, readsBefore = false): Promise<string> {
    const server = createServer(async (request: IncomingMessage, response) => {
      try {
        if (readsBefore) await request.toArray();
        response.end(`${(await bodyOf(request, options)).length} bytes`);
      } catch (error) {
        const { code, name, status = 500 } = error as Error & { readonly code?: string; readonly status?: number };
        response.writeHead(status).end(code ?? name);
      }
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      return await new Promise<string>((resolve) => {
        const socket = connect((server.address() as AddressInfo).port, '127.0.0.1', () => socket.write(text));
        let answer = '';
        socket.on('data', (chunk) => {
          answer += chunk;
          if (/2 bytes|TypeError/.test(answer)) socket.end();
        });
        socket.on('error', () => {}).on('close', () => resolve(answer));
      });
    } finally {
      server.close();
    }
  }

  const seen = (answers: string) => answers.match(/(?<=^HTTP\/1.1 )\d+|TOO_LARGE|TypeError|\d bytes/gm);

  test('is closed when it takes too long', async () => {
    expect(await exchanged({ timeoutMs: 50 }, `${head(10)}abc`)).toBe('');
  });

  test('is rejected when it is too large, and the next request on the connection is read', async () => {
    const answers = await exchanged({ maxBytes: 9 }, `${head(10)}0123456789${head(2)}ab`);
    expect(seen(answers)).toEqual(['413', 'TOO_LARGE', '200', '2 bytes']);
  });

  test('is not taken for empty when something else has read it', async () => {
    expect(seen(await exchanged({}, `${head(2)}ab`, true))).toEqual(['500', 'TypeError']);
  });
});

describe('the body of a Request', () => {
  const requestOf = (body: ReadableStream | string | null) =>
    new Request('http://localhost/', { method: 'POST', body, duplex: 'half' } as RequestInit);

  test.each([
    ['text', 'abc', 3],
    ['nothing', null, 0],
  ])('is read from %s', async (_what, body, length) => {
    expect(await bodyOf(requestOf(body))).toHaveLength(length);
  });

  test('is given up when it takes too long, and so is its source', async () => {
    const canceled = Promise.withResolvers<void>();
    const silent = new ReadableStream({ cancel: () => canceled.resolve() });
    await expect(bodyOf(requestOf(silent), { timeoutMs: 50 })).rejects.toMatchObject({ code: 'TOO_SLOW', status: 408 });
    await canceled.promise;
  });

  test('is rejected when it is too large or ends with an error', async () => {
    const broken = new ReadableStream({ pull: (controller) => controller.error(new Error('reset')) });
    await expect(bodyOf(requestOf('0123456789'), { maxBytes: 9 })).rejects.toMatchObject({ code: 'TOO_LARGE' });
    await expect(bodyOf(requestOf(broken))).rejects.toMatchObject({ code: 'INCOMPLETE', status: 400 });
  });
});
