import { describe, expect, test } from 'vitest';
import { createMask } from '../../src/contract/mask/index.ts';
import { CANARY, ENCODINGS, leafOf, MESSAGES, OPEN_FIELDS, planted, textsOf } from './canaries.ts';

const WALLET = '0x52908400098527886E0F7030069857D2E4169EE7';
const SOLANA = '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM';
const BANTU = 'GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ';

const masked = (value: unknown) => createMask().value(value);
const isHidden = (text: string, canary: string) =>
  !CANARY.test(text) && Object.values(ENCODINGS).every((encoded) => !text.includes(encoded(canary)));

describe('the contract', () => {
  test('says of every text field whether it tells about someone', () => {
    const unmarked = MESSAGES.flatMap((message) =>
      textsOf(message).flatMap((row) =>
        row.personal || OPEN_FIELDS.has(leafOf(row)) ? [] : [`${message.name} ${row.name}`],
      ),
    );
    expect(unmarked).toEqual([]);
  });

  test('has every field that is known to tell about nobody', () => {
    const names = new Set(MESSAGES.flatMap(textsOf).map(leafOf));
    const others = new Set(
      MESSAGES.flatMap(({ schema }) => JSON.stringify(planted(schema).value).match(/"\w+":\[/g) ?? []),
    );
    expect([...OPEN_FIELDS].filter((name) => !names.has(name) && !others.has(`"${name}":[`))).toEqual([]);
  });
});

describe('a canary', () => {
  const all = MESSAGES.filter(({ schema }) => planted(schema).canaries.length > 0);

  test.each(all)('in any field of $name stays in it in no encoding', ({ schema }) => {
    const { value, canaries } = planted(schema);
    const said = Object.fromEntries(
      canaries.flatMap((canary, at) =>
        Object.entries(ENCODINGS).map(([how, encoded]) => [`message${at}${how}`, `said ${encoded(canary)}.`]),
      ),
    );
    const mask = createMask();
    mask.learn(value, { schema });
    const own = JSON.stringify(mask.value(said));
    const forms = [
      createMask().value(value, { schema }),
      masked({ request: value }),
      masked({ sent: JSON.stringify(value) }),
    ];
    const text = JSON.stringify(forms);
    for (const canary of canaries) {
      expect.soft(isHidden(text, canary), `${canary} in ${text}`).toBe(true);
      expect.soft(isHidden(own, canary), `${canary} in ${own}`).toBe(true);
    }
  });

  test.each(Object.entries(ENCODINGS))('is found in a text %s', (_how, encoded) => {
    const mask = createMask();
    const { value, canaries } = planted(MESSAGES.find(({ name }) => name === 'fees.withdraw request')?.schema as never);
    mask.learn({ request: value });
    const text = mask.text(canaries.map((canary) => `said:${encoded(canary)}, and `).join(''));
    for (const canary of canaries) expect(isHidden(text, canary), text).toBe(true);
  });
});

describe('a mask', () => {
  test.each([
    ['a phone number or a BVN in a text', { why: 'call 08031234567 now' }, { why: 'call account-1 now' }],
    ['a phone number with its country', { why: 'call +2348031234567' }, { why: 'call phone-1' }],
    ['an account in a text', { why: 'paid to 0123456789.' }, { why: 'paid to account-1.' }],
    ['a BVN that is a number', { request: { all: [22_345_678_901] } }, { request: { all: ['account-1'] } }],
    ['an EVM address', { wallet: WALLET }, { wallet: 'address-1' }],
    ['a Solana address', { why: `to ${SOLANA}` }, { why: 'to address-1' }],
    ['a Bantu address', { why: `to ${BANTU}` }, { why: 'to address-1' }],
    ['a transaction hash', { why: `in 0x${'ab'.repeat(32)}` }, { why: 'in hash-1' }],
    ['an IPv4 address', { why: 'from 10.1.2.3, and 10.1.2.0/24' }, { why: 'from ip-1, and ip-2' }],
    ['an IPv6 address', { why: 'from 2001:db8::7' }, { why: 'from ip-1' }],
    ['an IPv4 address in IPv6', { why: 'from ::ffff:10.1.2.3' }, { why: 'from ip-1' }],
    ['an address that is the name of a field', { [WALLET]: 5 }, { 'address-1': 5 }],
    ['an account that is the name of a field', { '0123456789': 5 }, { 'account-1': 5 }],
    ['an id that is an address, as the copy of an external wallet has it', { id: WALLET }, { id: 'address-1' }],
    ['an e-mail address', { said: 'ask ada@acme.example' }, { said: 'ask email-1' }],
    ['the user who ran it and a host', { runBy: 'ada', host: 'ada-mac' }, { runBy: 'name-1', host: 'host-2' }],
    ['an idempotency key', { idempotencyKey: 'for-ada' }, { idempotencyKey: 'key-1' }],
    [
      'a name, and the same name in a text',
      { accountName: 'Ada Obi', said: 'ADA OBI' },
      { accountName: 'name-1', said: 'name-1' },
    ],
    [
      'a name in a longer name',
      { firstName: 'Ada', accountName: 'Ada Obi', said: 'Ada Obi' },
      { firstName: 'name-1', accountName: 'name-2', said: 'name-2' },
    ],
    [
      'a name after an escape',
      { lastName: 'Obi', said: 'a%20obi, a\\nobi, obinna' },
      { lastName: 'name-1', said: 'a%20name-1, a\\nname-1, obinna' },
    ],
    ['a name in a column', { first_name: 'Ada' }, { first_name: 'name-1' }],
    ['what nobody knows in what the service wrote', { row: { nick: 'Ada' } }, { row: { nick: 'text-1' } }],
    [
      'what is in a text that is JSON',
      { data: '{"bvn":22345678901,"a":"0803"}' },
      { data: '{"bvn":"account-1","a":"0803"}' },
    ],
    ['a document that was cut', { sent: '{"narration":"for A' }, { sent: '(19 characters)' }],
    ['what a path and its query name', { path: '/v1/nope/Ada?odd=Obi' }, { path: '/v1/text-1/text-2?odd=text-3' }],
    [
      'the parameter of a path',
      {
        path: `/v1/balance/user/${'4f0e7d3c-1a2b-4c5d-8e9f-0a1b2c3d4e5f'}?x=1`,
        said: "it's O%27Dea",
        accountName: "O'Dea",
      },
      { path: '/v1/balance/user/4f0e7d3c-1a2b-4c5d-8e9f-0a1b2c3d4e5f?x=1', said: "it's name-1", accountName: 'name-1' },
    ],
  ])('hides %s', (_what, value, expected) => {
    expect(masked(value)).toEqual(expected);
  });

  test.each([
    ['a time in seconds', { retryAt: 1_786_000_000, created_at: 1_786_000_000 }],
    ['a duration', { waitMs: 1_786_000_000 }],
    ['an amount', { amount: '₦5,000.00' }],
    ['a printed amount', { row: { amount: { value: '1234567890', asset: 'NGN' } } }],
    ['a hash and a cursor', { hash: SOLANA, pagination: { after: `c26.0..ir${SOLANA}` } }],
    [
      'what an answer says of itself',
      { received: '{"response_code":"02","message":"Not found","error":"no such user"}' },
    ],
    ['an amount in what the service wrote', { sent: '{"amount":"5000000000","USDC":"5.00"}' }],
    ['a decimal', { price: '1234567890.25', share: '0.1234567890' }],
    ['an id', { eventId: 'e-0123456789-a', requestId: '0198c1f2-5d0e-7cc3-98a1-0a54b2f0b1de' }],
    ['a number of other digits', { block: 123_456_789, gas: 123_456_789_012 }],
    ['the name of a bank', { row: { bankName: 'Harbour Bank' } }],
    ['a time of day and this machine', { said: 'at 12:34:56 from 127.0.0.1' }],
    [
      'a network and a state, whatever someone called a wallet',
      {
        request: { label: 'base', note: 'completed' },
        network: 'base',
        state: 'completed',
        said: 'it is completed on base',
      },
    ],
    ['a state that a step leads to', { steps: [{ from: 'pending', to: 'paid', on: 'pay' }] }],
    ['what is redacted', { request: { label: '[redacted]' } }],
  ])('keeps %s', (_what, value) => {
    const { request: _, ...rest } = masked(value) as Record<string, unknown>;
    const { request: __, ...expected } = value as Record<string, unknown>;
    expect(rest).toEqual(expected);
  });

  test('has one handle for a value, whatever it is written in, and another for another', () => {
    const mask = createMask();
    const value = {
      accountName: 'Ada Obi',
      said: `ADA OBI, ada%20obi and ${WALLET}`,
      again: WALLET.toLowerCase(),
      other: 'Ada Obinna',
    };
    expect(mask.value(value)).toEqual({
      accountName: 'name-1',
      said: 'name-1, name-1 and address-2',
      again: 'address-2',
      other: 'Ada Obinna',
    });
    expect(mask.value({ accountName: 'ada obi', senderName: 'Bola' })).toEqual({
      accountName: 'name-1',
      senderName: 'name-3',
    });
  });

  test('says nothing about what a handle stands for: the numbers follow the order in which values are seen', () => {
    expect(masked({ a: { accountName: 'Ada' }, b: { accountName: 'Bola' } })).toEqual(
      masked({ a: { accountName: 'Bola' }, b: { accountName: 'Ada' } }),
    );
  });
});
