/** What a value is. */
export interface ValueForm {
  readonly type: 'string' | 'integer';
  /** One name for all values of this form. */
  readonly format: string;
  /** What it counts, or is an amount of; null if it counts nothing, or says its unit itself. */
  readonly unit: string | null;
  readonly example: string;
}

const text = (format: string, example: string, unit: string | null = null): ValueForm => ({
  type: 'string',
  format,
  unit,
  example,
});

const ID = '0198c1f2-5d0e-7cc3-98a1-0a54b2f0b1de';
const EVM_ADDRESS = '0x52908400098527886e0f7030069857d2e4169ee7';
const HEX = '00'.repeat(32);
const cngn = text('amount', '5000', 'cNGN');
const naira = text('amount', '5000', 'NGN');
const limit = text('limit', 'NGN 500000');
const asset = text('amount with its asset', 'NGN 1000000');
const ip = text('ip address', '203.0.113.7');
const database = text('postgresql url', 'postgres://fiatrail@db.example.com/fiatrail');

/**
 * The forms by the word that stands for a value in help, `date` of `--since <date>` or `user-id` of an argument; or by the whole option
 * where its word is another one's too. Of several, the one counts whose example the parameter accepts. What a list of words
 * is chosen from needs none.
 */
export const VALUE_FORMS: Readonly<Record<string, ValueForm | readonly ValueForm[]>> = {
  account: text('account number', '7983603961'),
  address: [text('address', EVM_ADDRESS), ip],
  '--email <address>': text('email address', 'ops@example.com'),
  '--host <address>': ip,
  '--metrics-host <address>': ip,
  '--my-address <address>': ip,
  allowance: text('allowance a day', 'NGN 20000 a day'),
  amount: [cngn, asset],
  '--require <amount>': text('amount', '100000', 'the asset of the balance'),
  anything: text('text', 'ifeoma obi'),
  'bank-account': text('bank account id, or default', 'default'),
  'bank-account-id': text('bank account id', ID),
  'bank-code/number': text('bank code and account number', '000013/0123456789'),
  bvn: text('bvn', '12345678901'),
  cngn,
  code: text('bank code or name', '000013'),
  command: text('command', 'pass show fiatrail/main'),
  count: { type: 'integer', format: 'count', unit: 'rows', example: '20' },
  rows: { type: 'integer', format: 'count', unit: 'rows', example: '5' },
  errors: { type: 'integer', format: 'count', unit: 'rows', example: '10' },
  sum: text('amount', '1250000.00', 'the asset of the rows'),
  '--as <command>': text('command of fiatrail', 'offramp create'),
  '--days <count>': { type: 'integer', format: 'count', unit: 'days', example: '7' },
  'count>/<unit': text('rate', '10/s'),
  cursor: text('cursor', 'eyJvIjoyMH0'),
  date: text('date', '2026-11-01'),
  'days times': text('hours', 'mon-fri 08:00-18:00'),
  checkpoint: text('checkpoint', HEX),
  digits: text('account number', '0123456789'),
  duration: text('duration', '10m'),
  endpoint: text('endpoint id', 'fees.withdraw'),
  'endpoint-id': text('endpoint id', 'fx.quote'),
  event: [text('event', 'user.onboarded'), text('event', '1')],
  '--event <name>': text('event name', 'user.onboarded'),
  'event-id': text('event id', ID),
  'event>=<target': text('event and target', 'user.onboarded=https://hooks.example.com/users'),
  'external-wallet': text('address', EVM_ADDRESS),
  file: text('file', 'file.json'),
  fingerprint: text('fingerprint', HEX.slice(0, 32)),
  form: text('response format', 'interface'),
  group: text('group name', 'fiatrail-agents'),
  hex: text('hex', HEX),
  id: text('id', ID),
  json: text('json', '{}'),
  key: text('idempotency key', 'fees-2026-11'),
  'key=value': text('name=value', 'userId=USER_ID'),
  limit,
  line: text('header', 'webhook-id: msg_1'),
  list: text('names, comma-separated', 'base,bsc'),
  'host:port': text('host and port', '127.0.0.1:8765'),
  method: text('http method', 'GET'),
  n: { type: 'integer', format: 'index', unit: null, example: '0' },
  naira,
  'naira|max|all': text('amount, max or all', '5000', 'NGN'),
  name: [text('name', 'main'), text('host name', 'ops-1.example.com')],
  'name=value': text('name=value', 'tier=gold'),
  names: text('names, comma-separated', 'user.onboarded'),
  network: text('network', 'base'),
  'operation-id': text('operation id', ID),
  'order-id': text('order id', ID),
  origin: text('origin', 'http://localhost:3000'),
  path: text('path', '/getfees'),
  percent: text('percentage', '0.5%', 'percent'),
  period: text('month', '2026-11'),
  port: { type: 'integer', format: 'port', unit: null, example: '8787' },
  profile: text('profile name', 'main'),
  query: text('sql', 'SELECT 1'),
  'quote-id': text('quote id', ID),
  'request-id': text('request id', ID),
  shell: text('shell', 'bash'),
  target: text('url or exec:command', 'https://hooks.example.com/fiatrail'),
  text: text('text', 'settlement'),
  time: text('unix time', '1764000000', 'seconds'),
  tokens: text('amount', '5000', 'the token that is sent'),
  'trade-id': text('trade id', ID),
  url: [text('url', 'https://host.example.com/v1'), database],
  usd: text('amount', '1000', 'USD'),
  'user-id': text('user id', '5f0c1e9a'),
  wallet: text('address', EVM_ADDRESS),
  'withdrawal-id': text('withdrawal id', 'FTW_1'),
};
