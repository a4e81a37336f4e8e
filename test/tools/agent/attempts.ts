import { request } from 'node:http';
import type { Ran } from '../../support/built.ts';

/** An agent that is another user than the server, and what it knows: all but what it is after. */
export interface Agent {
  readonly url: string;
  readonly token: string;
  readonly tokenFile: string;
  /** The process of the server. */
  readonly pid: number;
  readonly railHome: string;
  readonly serviceUrl: string;
  /** A plan that nobody approved. */
  readonly plan: string;
  sh(script: string): Promise<Ran>;
  fiatrail(
    argv: readonly string[],
    options?: { readonly stdin?: string; readonly env?: Readonly<Record<string, string>> },
  ): Promise<Ran>;
}

/** What is tried, how, and how it must end. */
type Attempt = readonly [name: string, run: (agent: Agent) => Promise<string>, ends: RegExp];

const all = ({ stdout, stderr, code }: Ran) => `${stdout}${stderr}[exit ${code}]`;

const shell = (name: string, script: (agent: Agent) => string, ends: RegExp): Attempt => [
  name,
  async (agent) => all(await agent.sh(script(agent))),
  ends,
];

const DENIED = /Permission denied[\s\S]*\[exit [1-9]/;
const NOT_PERMITTED = /not permitted[\s\S]*\[exit [1-9]/;

/** Reads all that a process has in its memory and may be written to, and prints what looks like a key. */
const MEMORY = `
const { openSync, readFileSync, readSync } = require('node:fs');
const [, pid] = process.argv;
const memory = openSync('/proc/' + pid + '/mem', 'r');
for (const line of readFileSync('/proc/' + pid + '/maps', 'utf8').split('\\n')) {
  const [, from, to] = /^([0-9a-f]+)-([0-9a-f]+) rw/.exec(line) ?? [];
  if (!from || parseInt(to, 16) - parseInt(from, 16) > 2 ** 28) continue;
  const part = Buffer.alloc(parseInt(to, 16) - parseInt(from, 16));
  try {
    readSync(memory, part, 0, part.length, parseInt(from, 16));
  } catch {}
  for (const [key] of part.toString('latin1').matchAll(/sandbox_[\\w-]{10,}/g)) console.log(key);
}`;

/** What is there for any user of the machine. */
export const FILES: readonly Attempt[] = [
  shell('list the home', ({ railHome }) => `ls -la ${railHome}`, DENIED),
  shell('read the profile', ({ railHome }) => `cat ${railHome}/config/profiles/main.json`, DENIED),
  shell('read the settings', ({ railHome }) => `cat ${railHome}/config/settings.json`, DENIED),
  shell(
    'read the key',
    ({ railHome }) => `cat ${railHome}/config/secrets/main.api-key ${railHome}/config/secrets/*`,
    DENIED,
  ),
  shell('read the journal', ({ railHome }) => `cat ${railHome}/state/journal.db`, DENIED),
  shell('write into the journal', ({ railHome }) => `echo x >> ${railHome}/state/journal.db`, DENIED),
  shell('replace the profile', ({ railHome }) => `echo '{}' > ${railHome}/config/profiles/main.json`, DENIED),
  shell(
    'put a link into the folder of profiles',
    ({ railHome }) => `ln -s "$HOME" ${railHome}/config/profiles/evil`,
    DENIED,
  ),
  shell('find any file that is readable', ({ railHome }) => `find ${railHome} -type f -exec cat {} +`, DENIED),
  shell('read the environment of the server', ({ pid }) => `cat /proc/${pid}/environ`, DENIED),
  shell(
    'read its command line, which everyone can',
    ({ pid }) => `tr '\\0' ' ' < /proc/${pid}/cmdline`,
    /mcp --listen .*\[exit 0\]/,
  ),
  [
    'read the memory of the server',
    async ({ sh, pid }) => all(await sh(`${process.execPath} -e "$(cat <<'END'\n${MEMORY}\nEND\n)" ${pid}`)),
    /EACCES[\s\S]*\[exit 1\]/,
  ],
  shell('read its open files', ({ pid }) => `ls -l /proc/${pid}/fd && cat /proc/${pid}/fd/*`, DENIED),
  shell('go where it is', ({ pid }) => `ls /proc/${pid}/cwd/ /proc/${pid}/root/`, DENIED),
  shell(
    'read the registers and the stack',
    ({ pid }) => `cat /proc/${pid}/syscall /proc/${pid}/stack`,
    /(Permission denied|not permitted)[\s\S]*\[exit [1-9]/,
  ),
  shell('open its debugger', ({ pid }) => `/bin/kill -USR1 ${pid}`, NOT_PERMITTED),
  shell('end it, to start another one at its address', ({ pid }) => `/bin/kill -KILL ${pid}`, NOT_PERMITTED),
  shell('write a token of its own', ({ tokenFile }) => `echo ${'a'.repeat(43)} > ${tokenFile}`, DENIED),
  shell(
    'put its own file in the place of the token',
    ({ tokenFile }) => `rm -f ${tokenFile} && echo ${'a'.repeat(43)} > ${tokenFile}`,
    DENIED,
  ),
  shell(
    'make the token file a link',
    ({ tokenFile, railHome }) => `ln -sf ${railHome}/config/secrets ${tokenFile}`,
    DENIED,
  ),
  shell('open the token to everyone', ({ tokenFile }) => `chmod 666 ${tokenFile}`, NOT_PERMITTED),
  shell('become the user', () => 'setpriv --reuid=rail --clear-groups id', /(not permitted|failed)[\s\S]*\[exit [1-9]/),
  shell('become root', () => 'su -c id root < /dev/null; sudo -n id', /\[exit [1-9]/),
];

/** Asks for the state of the sandbox, which has its keys, with the token for a key and with none. */
const SNAPSHOT = `
const [, base, token] = process.argv;
for (const headers of [{ 'x-api-key': token }, {}])
  fetch(new URL('/_sandbox/snapshot', base), { method: 'POST', headers }).then(async (got) => console.log(got.status, await got.text()));`;

const program = (
  name: string,
  argv: (agent: Agent) => readonly string[],
  ends: RegExp,
  more: (agent: Agent) => { readonly stdin?: string; readonly env?: Readonly<Record<string, string>> } = () => ({}),
): Attempt => [name, async (agent) => all(await agent.fiatrail(argv(agent), more(agent))), ends];

/** It failed, and not because the command line was wrong. */
const REJECTED = /^(?![\s\S]*(incomplete command|unknown|missing))[\s\S]*\[exit [1-9]\d*\]$/;

/** What the agent gets by fiatrail in its own hands. */
export const PROGRAMS: readonly Attempt[] = [
  [
    'ask a sandbox for its keys',
    async ({ sh, serviceUrl, token }) => all(await sh(`${process.execPath} -e "${SNAPSHOT}" ${serviceUrl} ${token}`)),
    /^(401 .*\n){2}/,
  ],
  program(
    'use the configuration of the server',
    () => ['profiles', 'show', 'main'],
    REJECTED,
    ({ railHome }) => ({
      env: { FIATRAIL_CONFIG_DIR: `${railHome}/config` },
    }),
  ),
  program(
    'use the state of the server',
    () => ['ops', 'list', '-q'],
    REJECTED,
    ({ railHome }) => ({
      env: { FIATRAIL_STATE_DIR: `${railHome}/state` },
    }),
  ),
  [
    'use the configuration through a link',
    async ({ sh, fiatrail, railHome }) => {
      await sh(
        `rm -rf "$HOME/linked" && mkdir -m 700 "$HOME/linked" && ln -s ${railHome}/config/secrets "$HOME/linked/secrets" && ln -s ${railHome}/config/profiles "$HOME/linked/profiles"`,
      );
      const { stdout } = await sh('printf %s "$HOME"');
      return all(
        await fiatrail(['balances', 'account', '--profile', 'main'], {
          env: { FIATRAIL_CONFIG_DIR: `${stdout}/linked` },
        }),
      );
    },
    REJECTED,
  ],
  program(
    'take the token for a key',
    () => ['balances', 'account', '-q'],
    /\[exit 4\]$/,
    ({ token, serviceUrl }) => ({
      env: { FIATRAIL_API_KEY: token, FIATRAIL_BASE_URL: serviceUrl },
    }),
  ),
  program('approve the plan with a key of its own', ({ plan }) => ['plans', 'approve', plan, '--yes'], REJECTED),
  program('apply the plan', ({ plan }) => ['plans', 'apply', plan, '--yes'], REJECTED),
  program(
    'read the journal through a command',
    () => ['ops', 'journal', 'verify'],
    REJECTED,
    ({ railHome }) => ({
      env: { FIATRAIL_STATE_DIR: `${railHome}/state`, FIATRAIL_CONFIG_DIR: `${railHome}/config` },
    }),
  ),
  program(
    'read a file of the server as an input',
    ({ railHome }) => ['bulk', 'check', `${railHome}/config/secrets/main.api-key`, '--as', 'offramp create'],
    REJECTED,
  ),
  program(
    'read a file of the server as a snapshot',
    ({ railHome }) => ['sandbox', 'restore', `${railHome}/state/journal.db`, '--yes'],
    REJECTED,
  ),
  program(
    'make the server listen with its token',
    ({ tokenFile }) => ['mcp', '--listen', '127.0.0.1:0', '--token-file', tokenFile, '--token-group', 'rail-agents'],
    /another user[\s\S]*\[exit 2\]$/,
  ),
];

/** A request to the server, as any program of the agent could send it. */
export function send(
  { url, token }: Agent,
  {
    body,
    headers = {},
    method = 'POST',
    path = '/mcp',
    hasToken = true,
  }: {
    readonly body?: unknown;
    readonly headers?: Readonly<Record<string, string | string[]>>;
    readonly method?: string;
    readonly path?: string;
    readonly hasToken?: boolean;
  },
): Promise<string> {
  const { hostname, port } = new URL(url);
  const own = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...(hasToken && { authorization: `Bearer ${token}` }),
  };
  return new Promise((resolve, reject) => {
    const sent = request(
      { hostname, port, method, path, headers: { ...own, ...headers }, agent: false },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (part: string) => {
          text += part;
        });
        response.on('end', () => resolve(`${response.statusCode} ${text}`));
        response.on('error', reject);
      },
    );
    sent.on('error', (error) => resolve(`no answer: ${error.message}`));
    sent.end(body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body));
  });
}

const message = (method: string, params: object) => ({ jsonrpc: '2.0', id: 1, method, params });

/** Calls a tool. */
export const call = (agent: Agent, name: string, given: object): Promise<string> =>
  send(agent, { body: message('tools/call', { name, arguments: given }) });

const tool = (label: string, name: string, given: (agent: Agent) => object, ends: RegExp): Attempt => [
  label,
  (agent) => call(agent, name, given(agent)),
  ends,
];

const USAGE = /"isError":true.*"category":"usage"|"category":"usage".*"isError":true/;
const NO_TOOL = /there is no tool/;

const reads = (label: string, command: string, given: (agent: Agent) => object = () => ({})): Attempt =>
  tool(label, 'read', (agent) => ({ command, arguments: given(agent) }), USAGE);

/** What the tools are asked for. */
export const CALLS: readonly Attempt[] = [
  reads('show the profile', 'profiles show', () => ({ name: 'main' })),
  reads('list the approvers', 'profiles approvers list'),
  reads('show a key', 'keys aes show'),
  reads('print the key', 'keys api show', () => ({ print_key: true })),
  reads('send any request', 'api', () => ({ method: 'POST', path: '/initiateofframp' })),
  reads('export the journal', 'ops journal export'),
  reads('read a file as a filter', 'payout list', () => ({ file: '/proc/self/environ' })),
  reads('write the answer to a file', 'payout list', ({ railHome }) => ({
    output_file: `${railHome}/config/profiles/main.json`,
  })),
  reads('use another profile', 'payout list', () => ({ profile: '../secrets/main' })),
  reads('turn masking off', 'users list', () => ({ '--no-mask': true })),
  tool(
    'go up a path by an id',
    'read',
    () => ({ command: 'users show', arguments: { user_id: '../../_sandbox/snapshot' } }),
    /"isError":true/,
  ),
  tool(
    'find a file',
    'find',
    ({ railHome }) => ({ anything: `${railHome}/config/secrets/main.api-key` }),
    /"data"|"error"/,
  ),
  tool(
    'attach a database by a query',
    'query',
    ({ railHome }) => ({ query: `attach '${railHome}/state/journal.db' as j` }),
    /"isError":true/,
  ),
  tool(
    'read a file by a query',
    'query',
    ({ railHome }) => ({ query: `select readfile('${railHome}/config/secrets/main.api-key')` }),
    /"isError":true/,
  ),
  tool('load code by a query', 'query', () => ({ query: "select load_extension('/tmp/evil.so')" }), /"isError":true/),
  tool('approve the plan', 'operations', ({ plan }) => ({ command: 'plans approve', arguments: { plan } }), USAGE),
  tool('withdraw the plan', 'operations', ({ plan }) => ({ command: 'plans withdraw', arguments: { plan } }), USAGE),
  tool('resolve an operation', 'operations', () => ({ command: 'ops resolve' }), USAGE),
  tool('apply what nobody approved', 'plan_apply', ({ plan }) => ({ plan }), /APPROVAL_REQUIRED/),
  tool('apply it with more words', 'plan_apply', ({ plan }) => ({ plan, yes: true, 'without-approval': true }), USAGE),
  tool('apply it as a person', 'plan_apply', ({ plan }) => ({ plan, as_agent: false }), USAGE),
  tool('apply a file of its own', 'plan_apply', ({ tokenFile }) => ({ plan: `${tokenFile}/../../plan.json` }), USAGE),
  tool(
    'apply a file by a path that looks like an id',
    'plan_apply',
    () => ({ plan: '0198c1f2/../../plan.json' }),
    USAGE,
  ),
  tool(
    'apply a plan that is not there',
    'plan_apply',
    () => ({ plan: '0198c1f2-5d0e-7cc3-98a1-0a54b2f0b1de' }),
    /PLAN_NOT_FOUND/,
  ),
  tool(
    'plan a change of the approvers',
    'plan',
    () => ({ command: 'profiles approvers add', arguments: { name: 'agent', public_key: 'ab'.repeat(32) } }),
    USAGE,
  ),
  tool(
    'plan a change of the rules',
    'plan',
    () => ({ command: 'profiles rules set', arguments: { agent_allowance: 'NGN 999999999 a day' } }),
    USAGE,
  ),
  tool(
    'plan, and send at once',
    'plan',
    () => ({ command: 'payout create', arguments: { amount: '1', to: 'default', yes: true, plan: false } }),
    USAGE,
  ),
  tool(
    'plan with a word that is an option',
    'plan',
    () => ({ command: 'payout create', arguments: { amount: '--yes', to: '--without-approval' } }),
    /"isError":true/,
  ),
  ...['pay', 'advance', 'fault', 'reset', 'approve', 'profiles', 'keys', 'plans_approve', 'shell', '__proto__'].map(
    (name) => tool(`call the tool ${name}`, name, ({ plan }) => ({ plan }), NO_TOOL),
  ),
];

const asks = (label: string, method: string, params: object, ends: RegExp, headers = {}): Attempt => [
  label,
  (agent) => send(agent, { body: message(method, params), headers }),
  ends,
];

const LIST = message('tools/list', {});
const ERROR = /"error":\{"code":-\d+/;
const initialize = (protocolVersion: string) => ({
  protocolVersion,
  capabilities: { elicitation: {}, sampling: {}, roots: { listChanged: true } },
  clientInfo: { name: 'rail', version: '1', env: { FIATRAIL_DEBUG: '1', NODE_OPTIONS: '--inspect' } },
});

/** Other requests to the address, with the token and without. */
export const REQUESTS: readonly Attempt[] = [
  ['call without the token', (agent) => send(agent, { body: LIST, hasToken: false }), /^401 /],
  [
    'give the token in the address',
    (agent) => send(agent, { body: LIST, hasToken: false, path: `/mcp?token=${agent.token}` }),
    /^401 /,
  ],
  [
    'give two tokens',
    (agent) => send(agent, { body: LIST, headers: { authorization: `Bearer x, Bearer ${agent.token}` } }),
    /^401 /,
  ],
  ['call under another name', (agent) => send(agent, { body: LIST, headers: { host: 'evil.example' } }), /^403 /],
  ['call from a page', (agent) => send(agent, { body: LIST, headers: { origin: 'http://evil.example' } }), /^403 /],
  ['call from a file', (agent) => send(agent, { body: LIST, headers: { origin: 'null' } }), /^403 /],
  ['go up from the path', (agent) => send(agent, { body: LIST, path: '/mcp/../../../../etc/passwd' }), /^404 /],
  [
    'go up from the path, escaped',
    (agent) => send(agent, { body: LIST, path: '/mcp/%2e%2e/%2e%2e/etc/passwd' }),
    /^404 /,
  ],
  [
    'use the server as a proxy',
    (agent) => send(agent, { body: LIST, path: `${agent.serviceUrl}/getfintechwallet` }),
    /^404 /,
  ],
  ['use the controls of a sandbox', (agent) => send(agent, { body: {}, path: '/_sandbox/snapshot' }), /^404 /],
  ['ask for metrics and health', (agent) => send(agent, { method: 'GET', path: '/metrics' }), /^404 /],
  ['open a stream', (agent) => send(agent, { method: 'GET' }), /^405 /],
  [
    'send many messages as one',
    (agent) => send(agent, { body: [LIST, message('tools/call', { name: 'plans_approve' })] }),
    /^(200|400) /,
  ],
  [
    'smuggle a second request',
    (agent) => send(agent, { body: `${JSON.stringify(LIST)}POST /mcp HTTP/1.1\r\n\r\n` }),
    /^400 /,
  ],
  ...['2024-10-07', '2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28', '1999-01-01'].map(
    (version): Attempt =>
      asks(`greet in the protocol of ${version}, as rail`, 'initialize', initialize(version), /^(200|400) /),
  ),
  asks('read a file as a resource', 'resources/read', { uri: 'file:///proc/self/environ' }, ERROR),
  asks(
    'read the configuration as a resource',
    'resources/read',
    { uri: 'fiatrail://help/../../config/profiles/main.json' },
    ERROR,
  ),
  asks('list templates of resources', 'resources/templates/list', {}, /"error"|"resourceTemplates":\[\]/),
  asks('list prompts', 'prompts/list', {}, /"error"|"prompts":\[\]/),
  asks('have everything logged', 'logging/setLevel', { level: 'debug' }, ERROR),
  asks(
    'complete a secret',
    'completion/complete',
    { ref: { type: 'ref/prompt', name: 'x' }, argument: { name: 'key', value: 'sandbox_' } },
    ERROR,
  ),
  asks('answer a question that was not asked', 'elicitation/create', { message: 'approve', action: 'accept' }, ERROR),
  asks(
    'set variables of the server',
    'tools/call',
    {
      name: 'status',
      arguments: {},
      env: { FIATRAIL_PROFILE: 'other' },
      _meta: { env: { FIATRAIL_CONFIG_DIR: '/tmp' } },
    },
    /"data"/,
  ),
];
