import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { CATALOGUE } from '../../src/commands/catalogue.ts';
import { main } from '../../src/main.ts';
import { pageNamed } from '../../src/terminal/help/help.ts';
import { MEANINGS } from '../../src/terminal/help/meanings.ts';
import { VERBS } from '../../src/terminal/help/suggest.ts';
import { HARMFUL, spelledLike } from '../../src/terminal/parse/nearest.ts';
import { parse } from '../../src/terminal/parse/program.ts';
import { fakeWorld } from '../support/world.ts';

const commands = (await Promise.all(CATALOGUE.map((group) => group.load()))).flat().map(({ words }) => words.join(' '));

const lastOf = (name: string) => name.split(' ').at(-1) ?? '';

async function printed(argv: readonly string[]): Promise<{ code: number; text: string }> {
  const world = fakeWorld();
  const code = await main(argv, world);
  return { code, text: world.stdout.text() + world.stderr.text() };
}

/** What people type, and what it must lead to: a command, or a topic. */
const LEADS_TO: readonly (readonly [typed: string, leadsTo: string])[] = [
  ['refund', 'help refund'],
  ['refunds', 'help refund'],
  ['chargeback', 'help refund'],
  ['reverse', 'help wrong-payment'],
  ['wrong payment', 'help wrong-payment'],
  ['mistake', 'help wrong-payment'],
  ['search', 'find'],
  ['lookup', 'find'],
  ['logs', 'ops list'],
  ['audit', 'ops journal verify'],
  ['price', 'fx quote'],
  ['prices', 'fx stats'],
  ['rate', 'fx quote'],
  ['market', 'fx book'],
  ['order', 'fx orders list'],
  ['limit', 'profiles rules show'],
  ['limits', 'help limits'],
  ['rules', 'profiles rules show'],
  ['policy', 'profiles rules show'],
  ['docs', 'help topics'],
  ['cngn', 'balances account'],
  ['hook', 'webhooks show'],
  ['aes', 'keys aes show'],
  ['manual', 'help topics'],
  ['commands', 'help commands'],
  ['flags', 'help options'],
  ['tx', 'history transactions'],
  ['transactions', 'history transactions'],
  ['statement', 'history transactions'],
  ['export', 'history transactions'],
  ['activity', 'history transactions'],
  ['approvals', 'plans approve'],
  ['approve', 'plans approve'],
  ['approval', 'help approval'],
  ['sign', 'plans approve'],
  ['apply', 'plans apply'],
  ['approver', 'profiles approvers list'],
  ['rename', 'help change'],
  ['delete', 'help change'],
  ['edit', 'help change'],
  ['test', 'tour'],
  ['demo', 'tour'],
  ['rotate', 'keys rotate'],
  ['revoke', 'keys rotate'],
  ['leaked', 'help leaked-key'],
  ['stolen key', 'help leaked-key'],
  ['allowlist', 'ip list'],
  ['whitelist', 'ip add'],
  ['buy', 'fx trade'],
  ['sell', 'offramp create'],
  ['convert', 'onramp create'],
  ['exchange', 'fx trade'],
  ['trade', 'fx trade'],
  ['swap', 'swaps create'],
  ['cash out', 'offramp create'],
  ['cashout', 'payout create'],
  ['send', 'help send'],
  ['pay', 'help send'],
  ['receive', 'help receive'],
  ['deposit', 'help receive'],
  ['deposits', 'history deposits'],
  ['fund', 'wallets deposit-account'],
  ['top-up', 'wallets deposit-account'],
  ['invoice', 'onramp create'],
  ['settle', 'sandbox settle'],
  ['settlement', 'history payouts'],
  ['cancel', 'help cancel'],
  ['undo', 'help cancel'],
  ['stop', 'help cancel'],
  ['stuck', 'help stuck'],
  ['pending', 'report pending'],
  ['owed', 'report owed'],
  ['accounting', 'report'],
  ['monthly', 'report'],
  ['retry', 'ops reconcile'],
  ['duplicate', 'help once'],
  ['idempotency', 'help once'],
  ['timeout', 'help unknown-outcome'],
  ['unknown', 'ops reconcile'],
  ['reconcile', 'ops reconcile'],
  ['resume', 'ops resume'],
  ['exit codes', 'help exit-codes'],
  ['errors', 'help exit-codes'],
  ['customer', 'users list'],
  ['customers', 'users list'],
  ['kyc', 'users onboard'],
  ['bvn', 'users onboard'],
  ['signup', 'users onboard'],
  ['suspend', 'users deactivate'],
  ['profit', 'report fees'],
  ['revenue', 'report fees'],
  ['commission', 'fees show'],
  ['fee', 'fees show'],
  ['start server', 'sandbox serve'],
  ['server', 'sandbox serve'],
  ['mock', 'sandbox pay'],
  ['encryption', 'keys encryption show'],
  ['disable encryption', 'help encryption'],
  ['login', 'help login'],
  ['log in', 'help login'],
  ['logout', 'help login'],
  ['config', 'explain'],
  ['setup', 'init'],
  ['switch', 'profiles use'],
  ['key', 'profiles show'],
  ['apikey', 'help leaked-key'],
  ['token', 'help login'],
  ['password', 'help login'],
  ['webhook secret', 'help webhook-setup'],
  ['webhook', 'webhooks show'],
  ['events', 'webhooks events'],
  ['balance', 'balances account'],
  ['wallet', 'wallets show'],
  ['address', 'wallets show'],
  ['bank', 'banks'],
  ['beneficiary', 'bank-accounts list'],
  ['account', 'whoami'],
  ['health', 'doctor'],
  ['update', 'help update'],
  ['install', 'help update'],
  ['kobo', 'help units'],
  ['units', 'help units'],
  ['timezone', 'help dates'],
  ['cron', 'help scripts'],
  ['curl', 'api'],
  ['swagger', 'openapi'],
  ['backup', 'ops journal backup'],
  ['chain', 'bridge networks'],
  ['payroll', 'payout create'],
  ['salary', 'payout create'],
  ['recipient', 'bank-accounts list'],
  ['contacts', 'bank-accounts list'],
  ['card', 'help send'],
  ['virtual account', 'wallets deposit-account'],
  ['burn', 'offramp create'],
  ['gas', 'bridge quote'],
  ['usd', 'fx quote'],
  ['usdt', 'balances account'],
  ['crypto', 'swaps create'],
  ['stablecoin', 'fx quote'],
  ['explorer', 'history withdrawals'],
  ['txhash', 'history withdrawals'],
  ['signature', 'webhooks verify'],
  ['2fa', 'help approval'],
  ['otp', 'help approval'],
  ['pin', 'help approval'],
  ['lost key', 'help leaked-key'],
  ['blocked', 'ip check'],
  ['forbidden', 'ip check'],
  ['unauthorized', 'help login'],
  ['401', 'help login'],
  ['403', 'ip check'],
  ['429', 'help limits'],
  ['rate limit', 'help limits'],
  ['idempotent', 'help once'],
  ['verification', 'users onboarding status'],
  ['onboarding', 'users onboard'],
  ['move money', 'help send'],
  ['bulk', 'help scripts'],
  ['upload', 'profiles import'],
  ['import', 'ops journal import'],
  ['recurring', 'help scripts'],
  ['monitor', 'webhooks listen'],
  ['alert', 'help webhook-setup'],
  ['notify', 'help webhook-setup'],
  ['watch', 'status'],
  ['tail', 'webhooks listen'],
  ['stats', 'status'],
  ['contact', 'help topics'],
  ['bug', 'doctor'],
  ['feedback', 'help topics'],
  ['pricing', 'fees show'],
  ['license', 'version'],
  ['changelog', 'help update'],
  ['subscribe', 'webhooks events'],
  ['about', 'version'],
  ['tier', 'help limits'],
  ['use live', 'profiles use'],
  ['nin', 'users onboard'],
  ['id', 'whoami'],
  ['seed phrase', 'wallets show'],
  // The verb first.
  ['add user', 'users onboard'],
  ['create customer', 'users onboard'],
  ['list users', 'users list'],
  ['get user 123', 'users show'],
  ['delete user', 'users deactivate'],
  ['suspend user', 'users deactivate'],
  ['show balance', 'balances account'],
  ['new wallet', 'wallets external add'],
  ['list bank accounts', 'bank-accounts list'],
  ['list transactions', 'history transactions'],
  ['cancel order', 'fx orders cancel'],
  ['cancel payout', 'help cancel'],
  ['start payout', 'payout create'],
  ['status onramp', 'onramp status'],
  ['rotate key', 'keys rotate'],
  ['show fx', 'fx --help'],
  // In a group.
  ['profiles rename', 'help change'],
  ['profiles switch', 'profiles use'],
  ['profiles delete', 'profiles remove'],
  ['webhooks test', 'webhooks trigger'],
  ['webhooks secret', 'help webhook-setup'],
  ['webhooks logs', 'webhooks inbox list'],
  ['webhooks off', 'webhooks disable'],
  ['keys list', 'profiles show'],
  ['keys revoke', 'keys rotate'],
  ['keys encryption disable', 'help encryption'],
  ['users find', 'users list'],
  ['users create', 'users onboard'],
  ['users get', 'users show'],
  ['users refund', 'help refund'],
  ['ip whitelist', 'ip list'],
  ['fx buy', 'fx trade'],
  ['fx price', 'fx quote'],
  ['fx orders cancel', 'fx orders cancel'],
  ['ops approve', 'plans approve'],
  ['banks search access', 'banks --search'],
  ['bank-accounts rename', 'bank-accounts update'],
  ['wallets create', 'wallets external add'],
  ['sandbox start', 'sandbox serve'],
  ['payout cancel', 'help cancel'],
  ['onramp create', 'onramp create'],
  ['onramp stat', 'onramp status'],
  ['profiles reset', 'profiles show'],
  ['keys reset', 'help leaked-key'],
  ['sandbox fault reset', 'sandbox fault clear'],
  ['users update', 'help change'],
  ['webhooks update', 'webhooks set'],
  ['fees update', 'fees set'],
  ['ip update', 'ip replace'],
  ['wallets external update', 'wallets external list'],
  ['fees list', 'fees show'],
  ['webhooks list', 'webhooks show'],
  ['webhooks delete', 'webhooks disable'],
  ['webhooks new', 'help webhook-setup'],
  ['webhooks inbox delete', 'webhooks inbox prune'],
  ['webhooks inbox clear', 'webhooks inbox prune'],
  ['profiles rules list', 'profiles rules show'],
  ['profiles rules add', 'help limits'],
  ['profiles rules remove', 'profiles rules set'],
  ['ip set', 'ip add'],
  ['ip clear', 'ip remove'],
  ['ops prune', 'ops journal export'],
  ['history all', 'history transactions'],
];

describe('what people type', () => {
  test('is more than a hundred words', () => {
    expect(new Set(LEADS_TO.map(([typed]) => typed)).size).toBe(LEADS_TO.length);
    expect(LEADS_TO.length).toBeGreaterThan(200);
  });

  test.each(LEADS_TO)('"%s" leads to fiatrail %s', async (typed, leadsTo) => {
    const { code, text } = await printed(typed.split(' '));
    expect({ code, text }).toEqual({
      code: 2,
      text: expect.stringMatching(new RegExp(`fiatrail ${leadsTo}(?![\\w-])`)),
    });
  });

  test('is understood in one word, in capitals and after options', async () => {
    for (const argv of [
      ['cash out'],
      ['Cash', 'OUT'],
      ['-q', 'cash', 'out', '--amount', '5'],
      ['cash-out'],
      ['cash_out'],
    ])
      expect(await printed(argv)).toEqual({ code: 2, text: expect.stringContaining('fiatrail offramp create') });
  });

  test('may be a whole command in quotes', async () => {
    for (const [typed, meant] of [
      ['users list', 'did you mean fiatrail users list?'],
      ['users list\nlive', "unknown command 'users list\\u{a}live'\n  hint: did you mean fiatrail users list?"],
      ['no\nsuch', "unknown command 'no\\u{a}such'\n  hint: run: fiatrail --help\n"],
    ] as const)
      expect(await printed([typed])).toEqual({ code: 2, text: expect.stringContaining(meant) });
  });

  test.each([
    ['users list extra', 'fiatrail users list'],
    ['fx orders list a b', 'fiatrail fx orders list'],
    ['status extra', 'fiatrail status'],
  ])('"%s" has too many arguments for "%s"', async (typed, command) => {
    expect((await printed(typed.split(' '))).text).toContain(
      `error: too many arguments for '${command}': expected none; got `,
    );
  });

  test.each(['stuck', 'late', 'refunds'])('finds a topic after help: %s', async (typed) => {
    const { code, text } = await printed(['help', typed]);
    expect({ code, text }).toEqual({ code: 0, text: expect.stringMatching(/^(Stuck|Refunds)/) });
  });

  test('is the hint of JSON errors, too', async () => {
    const { text } = await printed(['refund', '-o', 'json']);
    expect(JSON.parse(text).error).toMatchObject({ code: 'USAGE', hint: 'run: fiatrail help refund' });
  });

  test('leads to its topic after help', async () => {
    for (const [typed, leadsTo] of LEADS_TO) {
      const [best] = MEANINGS.get(typed)?.split(', ') ?? [];
      if (
        best !== leadsTo ||
        !leadsTo.startsWith('help ') ||
        CATALOGUE.some(({ name }) => name === typed.split(' ')[0])
      )
        continue;
      const page = await pageNamed(leadsTo.split(' ').slice(1), CATALOGUE);
      expect(await printed(['help', ...typed.split(' ')])).toEqual({ code: 0, text: page });
    }
  });
});

describe('the table of meanings', () => {
  const TARGETS = [...MEANINGS].map(([typed, meant]) => ({ typed, targets: meant.split(', ') }));

  test('names commands and topics that exist', async () => {
    const wrong: string[] = [];
    for (const target of new Set(TARGETS.flatMap(({ targets }) => targets))) {
      const words = target.split(' ');
      const isThere =
        words[0] === 'help'
          ? (await pageNamed(words.slice(1), CATALOGUE)) !== undefined
          : commands.includes(target.replace(/ --.*/, '')) &&
            (await parse([...words, ...(target.endsWith('--search') ? ['x'] : [])], CATALOGUE, fakeWorld()).then(
              () => true,
              () => false,
            ));
      if (!isThere) wrong.push(target);
    }
    expect(wrong).toEqual([]);
  });

  test('has each phrase once, in the form that is looked up', () => {
    const source = readFileSync(new URL('../../src/terminal/help/meanings.ts', import.meta.url), 'utf8');
    const phrases = [...source.matchAll(/^ {2}(?:'.*'|\w+):\s+'(.*)',$/gm)].flatMap(([, typed = '']) =>
      typed.split(', '),
    );
    expect(phrases.length).toBeGreaterThan(300);
    expect(phrases.toSorted()).toEqual([...MEANINGS.keys()].toSorted());
    expect(phrases.filter((phrase) => phrase !== phrase.toLowerCase().trim())).toEqual([]);
  });

  test('leads to a command that does harm only from a word that says so', () => {
    const saysSo =
      /\b(block|ban|freeze|suspend|cancel|delete|remove|revoke|rotate|reset|restore|off|unset|erase|rm|del|upload|load|import|clear|change|edit|update|modify|configure|sanction|sanctioned|blacklist|disable|lock)\b/;
    const harmful = (name: string) => !name.startsWith('help ') && HARMFUL.includes(lastOf(name));
    const verbs = Object.entries(VERBS).flatMap(([meant, words]) =>
      words.split(' ').map((typed) => ({ typed, targets: [meant] })),
    );
    const wrong = [...TARGETS, ...verbs].filter(({ typed, targets }) => targets.some(harmful) && !saysSo.test(typed));
    expect(wrong).toEqual([]);
  });

  test('has verbs that commands have', () => {
    const verbs = new Set(commands.map(lastOf));
    expect(Object.keys(VERBS).filter((verb) => !verbs.has(verb))).toEqual([]);
  });
});

describe('a misspelled word', () => {
  const VERB_NAMES = [...new Set(commands.map(lastOf))];

  test.each([
    ['rename', ['remove']],
    ['test', ['set', 'reset']],
    ['get', ['set']],
    ['let', ['set']],
    ['enable', ['disable']],
    ['activate', ['deactivate']],
    ['install', ['uninstall']],
    ['removal-list', ['remove']],
    ['replay', ['replace']],
    ['restart', ['restore', 'reset']],
    ['resume', ['remove', 'reset']],
    ['report', ['import']],
    ['export', ['import']],
  ])('%s is not corrected to %j', (typed, names) => {
    expect(spelledLike(typed, names)).toEqual([]);
  });

  test.each([
    ['remvoe', 'remove'],
    ['remov', 'remove'],
    ['removes', 'remove'],
    ['disabel', 'disable'],
    ['rotat', 'rotate'],
    ['ste', 'set'],
    ['lst', 'list'],
    ['statsu', 'status'],
    ['upate', 'update'],
  ])('%s is corrected to %s', (typed, name) => {
    expect(spelledLike(typed, VERB_NAMES)).toContain(name);
  });

  test.each([
    ['usres lst', 'fiatrail users list'],
    ['fes', 'fiatrail fees'],
    ['fx ordrs list', 'fiatrail fx orders list'],
    ['sandbox evnts shwo', 'fiatrail sandbox events show'],
    ['users actvate u-1', 'fiatrail users activate'],
    ['refnd', 'fiatrail help refund'],
    ['leeked-key', 'fiatrail help leaked-key'],
  ])('"%s" leads to the whole command: %s', async (typed, command) => {
    expect((await printed(typed.split(' '))).text).toMatch(
      new RegExp(`hint: (did you mean ${command}\\?|run: ${command})\\n`),
    );
  });

  test.each(['quit', 'hour', 'four', 'frobnicate', 'restart', 'reset my wallpaper', 'sandbox rest', 'sandbox rese7s'])(
    '"%s" is like no command',
    async (typed) => {
      expect((await printed(typed.split(' '))).text).toMatch(/hint: run: fiatrail (sandbox )?--help\n/);
    },
  );

  test('never leads to harm from the name of a harmless verb', () => {
    const harmless = VERB_NAMES.filter((name) => !HARMFUL.includes(name));
    const wrong = harmless.flatMap((typed) => spelledLike(typed, HARMFUL).map((name) => `${typed}: ${name}`));
    expect(wrong).toEqual([]);
  });

  test.each([
    [['profiles', 'rename']],
    [['webhooks', 'test']],
    [['webhooks', 'reset']],
    [['fees', 'get']],
    [['users', 'default-wallet', 'get']],
    [['ip', 'resolve']],
    [['wallets', 'external', 'rename']],
  ])('%j offers nothing that does harm', async (argv) => {
    const { text } = await printed(argv);
    expect(text).not.toMatch(/did you mean[^?]*\b(set|remove|disable|replace|rotate)\b/);
  });
});
