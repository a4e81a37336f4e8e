import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { fiatrailJson, type Home, newHome, sharedEnd, startFiatrail } from '../../support/built.ts';
import { startBrowser } from '../inspector/browser.ts';

/** A page of a stranger in the browser of someone whose machine serves agents, which may even know the token. */

const atEnd = sharedEnd();
let home: Home;
let browser: Browser;
let url: string;
let token: string;

beforeAll(async () => {
  home = newHome(atEnd);
  browser = await startBrowser(atEnd, '--host-resolver-rules=MAP evil.example 127.0.0.1');
  const tokenFile = join(home.path, 'agent.token');
  const listen = ['mcp', '--listen', '127.0.0.1:0', '--token-file', tokenFile, '--allow', 'read,sandbox'];
  const server = startFiatrail(home, listen);
  atEnd(async () => {
    server.kill('SIGTERM');
    await server.end;
  });
  url = (await server.firstLine()).trim();
  token = readFileSync(tokenFile, 'utf8').trim();
});

const ADVANCE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'advance', arguments: { duration: '2d' } },
};

/** How far the clock of the sandbox is ahead, which a call of `advance` changes. */
const ahead = async () =>
  (await fiatrailJson<{ clockOffsetSeconds: number }>(home, ['sandbox', 'clock'])).clockOffsetSeconds;

/** All ways in which a script can send something. Each resolves with what the page got to know. */
const WAYS = `(url, token, body) => {
  const sent = (options) =>
    fetch(url, { method: 'POST', body, ...options }).then(async (got) => got.type + ' ' + got.status + ' ' + (await got.text()), () => 'nothing');
  const own = { authorization: 'Bearer ' + token, 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  return Promise.all([
    sent({}),
    sent({ mode: 'no-cors' }),
    sent({ mode: 'no-cors', credentials: 'include', headers: own }),
    sent({ headers: own }),
    sent({ headers: { ...own, origin: 'null', host: 'localhost' } }),
    new Promise((resolve) => {
      const request = new XMLHttpRequest();
      request.onloadend = () => resolve(request.status === 0 ? 'nothing' : 'xhr ' + request.status + ' ' + request.responseText);
      request.open('POST', url);
      request.setRequestHeader('authorization', own.authorization);
      request.send(body);
    }),
    new Promise((resolve) => {
      const socket = new WebSocket(url.replace('http', 'ws'));
      socket.onopen = () => resolve('a socket');
      socket.onerror = () => resolve('nothing');
    }),
    new Promise((resolve) => {
      const frame = document.createElement('iframe');
      frame.name = 'frame';
      frame.onload = () => resolve('nothing');
      const form = document.createElement('form');
      Object.assign(form, { method: 'POST', action: url, enctype: 'text/plain', target: 'frame' });
      const field = document.createElement('input');
      // So that the body of the form is one object of JSON.
      Object.assign(field, { name: body.slice(0, -1) + ', "x": "', value: '"}' });
      form.append(field);
      document.body.append(frame, form);
      form.submit();
    }),
    Promise.resolve(navigator.sendBeacon(url, body) ? 'nothing' : 'no beacon'),
  ]);
}`;

async function tried(at: string, target: string): Promise<readonly string[]> {
  const context = await browser.newContext();
  onTestFinished(() => context.close());
  const page = await context.newPage();
  await page.goto(at);
  return page.evaluate(`(${WAYS})(...${JSON.stringify([target, token, JSON.stringify(ADVANCE)])})`);
}

/** A page of someone else, which lets its scripts do anything. */
async function strangersPage(): Promise<string> {
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html').end('<!doctype html><title>Prizes</title><body>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

test('a program with the token moves the clock', async () => {
  const before = await ahead();
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  };
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(ADVANCE) });
  expect(await answer.text()).toContain('"isError":false');
  expect(await ahead()).toBeGreaterThan(before + 86_400);
});

test('a page of another origin gets nothing and changes nothing, with the token too', async () => {
  const before = await ahead();
  const got = await tried(await strangersPage(), url);
  expect(got.filter((each) => each !== 'nothing')).toEqual(['opaque 0 ', 'opaque 0 ']);
  expect(await ahead()).toBeLessThan(before + 3_600);
});

test('a name that a stranger lets stand for this machine is rejected, although it is the same origin for the page', async () => {
  const before = await ahead();
  const target = url.replace('127.0.0.1', 'evil.example');
  const got = await tried(target, target);
  const answered = got.filter((each) => each !== 'nothing');
  expect(answered.length).toBeGreaterThan(3);
  for (const each of answered) expect(each).toMatch(/ 403 |^opaque 0 $/);
  expect(await ahead()).toBeLessThan(before + 3_600);
});
