import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { startSandbox } from '../../src/kits/sandbox.ts';
import { newHome, ROOT, startProgram } from '../support/built.ts';
import { programOf } from '../tools/programs.ts';
import { blocksOf } from './scripts.ts';

const PAGE = 'docs/other-languages.md';
let python: string;

beforeAll(() => {
  python = programOf('python3', 'python3');
});

/** A block of the page that begins with a comment. */
function block(comment: string): string {
  const found = blocksOf(PAGE, 'python').find((each) => each.startsWith('#') && each.split('\n')[0]?.includes(comment));
  if (found === undefined) throw new Error(`${PAGE} has no block of Python that begins with ${comment}`);
  return found;
}

describe('the page for other languages', () => {
  test('has at most 500 words', () => {
    const words = readFileSync(join(ROOT, PAGE), 'utf8')
      .split(/\s+/)
      .filter((word) => word !== '');
    expect(words.length).toBeLessThanOrEqual(500);
  });

  test.each([
    ['passes', (text: string) => text, 0, 'OK'],
    // It compares what the sandbox answers.
    [
      'fails if the onramp was not paid',
      (text: string) => text.replace(/^.*control\("pay".*\n/m, ''),
      1,
      'AssertionError',
    ],
  ])('has a test in Python that %s', async (_what, changed, code, says) => {
    const home = newHome(onTestFinished);
    await using sandbox = await startSandbox({ port: 0, pace: 'real' });
    copyFileSync(join(ROOT, 'docs', 'openapi.json'), join(home.path, 'openapi.json'));
    writeFileSync(join(home.path, 'test_onramp.py'), changed(block('unittest test_onramp')));
    const env = { FIATRAIL_BASE_URL: sandbox.url, FIATRAIL_API_KEY: sandbox.apiKey };
    const ran = await startProgram(home, python, ['-W', 'error', '-m', 'unittest', 'test_onramp'], { env }).end;
    expect(ran, ran.stderr).toMatchObject({ code, stderr: expect.stringContaining(says) });
  });

  test('checks in Python what the sandbox signed', async () => {
    const arrived = Promise.withResolvers<{ headers: IncomingHttpHeaders; body: string }>();
    const server = createServer(async (request, response) => {
      let body = '';
      for await (const part of request.setEncoding('utf8')) body += part;
      response.end();
      // Setting the URL tries it with a request without a body.
      if (body !== '') arrived.resolve({ headers: request.headers, body });
    });
    onTestFinished(() => void server.close());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    await using sandbox = await startSandbox();
    const webhookUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    await sandbox.client.call('management.set-webhook', { webhookUrl, enabled: true });
    await sandbox.client.call('users.onboard', { bvn: '22222222222' });
    await sandbox.client.call('sandbox.settle');
    const { headers, body } = await arrived.promise;

    const home = newHome(onTestFinished);
    writeFileSync(join(home.path, 'signature.py'), block('signature.py'));
    const signed = async (secret: string, content: string) => {
      const script =
        'import sys; from signature import is_signed; print(is_signed(sys.argv[1].encode(), *sys.argv[2:4], sys.stdin.buffer.read()))';
      const words = [secret, headers['x-service-timestamp'], headers['x-service-signature']].map(String);
      const { stdout, stderr } = await startProgram(home, python, ['-c', script, ...words], { stdin: content }).end;
      return stdout.trim() || stderr;
    };
    expect(await signed(sandbox.webhookSecret, body)).toBe('True');
    expect(await signed(sandbox.webhookSecret, `${body} `)).toBe('False');
    expect(await signed('another-secret', body)).toBe('False');
  });
});
