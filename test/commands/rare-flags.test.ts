import { describe, expect, test } from 'vitest';
import { main } from '../../src/main.ts';
import { fakeWorld } from '../support/world.ts';

const ADDRESS = '0x52908400098527886E0F7030069857D2E4169EE7';

/** Runs a command line without sending anything, and returns what it would send. */
async function wouldSend(...words: string[]) {
  const world = fakeWorld({
    env: { FIATRAIL_BASE_URL: 'https://service.test/v1', FIATRAIL_API_KEY: 'a-key' },
    network: async () => {
      throw new Error('a dry run sends nothing');
    },
  });
  const code = await main([...words, '--dry-run', '--no-input', '-o', 'json'], world);
  return { code, err: world.stderr.text(), ...JSON.parse(world.stdout.text() || '{}') };
}

describe('fields that few accounts use', () => {
  test.each([
    [
      'options of a wallet migration',
      ['users', 'migrate-wallets', 'u-1', '--option', 'chains=all', '--option', 'retry=true', '--option', 'batch=20'],
      { options: { chains: 'all', retry: true, batch: 20 } },
    ],
    [
      'metadata of a bank account',
      [
        'bank-accounts',
        'add',
        '--account-number',
        '0123456789',
        '--bank-code',
        '000911',
        '--yes',
        '--metadata',
        'team=treasury',
        '--metadata',
        'costCentre=007',
      ],
      { metadata: { team: 'treasury', costCentre: '007' } },
    ],
    [
      'the backup of an external wallet',
      ['wallets', 'external', 'add', ADDRESS, '--network', 'base', '--backup-exists', 'no'],
      { metadata: { backupExists: false } },
    ],
    [
      'the notes of a fee setting',
      [
        'fees',
        'set',
        '--onramp-percent',
        '0.5%',
        '--onramp-cap',
        '500',
        '--onramp',
        'on',
        '--note',
        'from August',
        '--description',
        'Summer',
        '--updated-by',
        'Ngozi',
      ],
      { metadata: { notes: 'from August', description: 'Summer', lastUpdatedBy: 'Ngozi' } },
    ],
    [
      'the notes of a fee withdrawal',
      [
        'fees',
        'withdraw',
        '--amount',
        '5000',
        '--account-number',
        '0123456789',
        '--bank-code',
        '000911',
        '--account-name',
        'Acme Ltd',
        '--reference',
        'w-1',
        '--note',
        'August',
      ],
      { metadata: { reference: 'w-1', notes: 'August' } },
    ],
  ] as const)('can be sent: %s', async (_, words, expected) => {
    const { code, body } = await wouldSend(...words);
    expect({ code, body }).toEqual({ code: 0, body: expect.objectContaining(expected) });
  });

  test('can be sent: the token of bridge transactions', async () => {
    expect(await wouldSend('bridge', 'list', '--token', 'cngn')).toMatchObject({
      code: 0,
      url: expect.stringContaining('token=CNGN'),
    });
  });

  test.each([
    ['without a value', ['--option', 'chains'], 'invalid property "chains"; expected name=value'],
    ['without a name', ['--option', '=all'], 'invalid property "=all"; expected name=value'],
    ['given twice', ['--option', 'a=1', '--option', 'a=2'], 'the property "a" was given more than once'],
  ])('are rejected %s', async (_, words, message) => {
    const { code, err } = await wouldSend('users', 'migrate-wallets', 'u-1', ...words);
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(JSON.stringify(message).slice(1, -1)) });
  });
});
