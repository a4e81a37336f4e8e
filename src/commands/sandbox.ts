import { sandboxPath, stateDir } from '../account/paths.ts';
import {
  sandboxAdvance,
  sandboxClock,
  sandboxPay,
  sandboxReset,
  sandboxSeed,
  sandboxStatus,
} from '../contract/control.ts';
import { CliError } from '../exit.ts';
import { toWireNumber } from '../money/units.ts';
import { command } from './command.ts';
import {
  amountHelp,
  amountOf,
  argument,
  digits,
  duration,
  oneOf,
  option,
  required,
  switchOn,
  wholeNumber,
  word,
} from './parameters.ts';
import { outcomeOf, type Session } from './session.ts';

const pace = option(
  '--pace <pace>',
  'how long the world outside takes: instant, quick or real (default quick)',
  oneOf('instant', 'quick', 'real'),
);
const rateLimits = option('--rate-limits <on|off>', 'whether rate limits bite (default on)', oneOf('on', 'off'));

/** The controls exist only in a sandbox. */
function requireSandbox({ profile }: Session): void {
  if (profile.mode === 'live')
    throw new CliError('usage', `profile ${profile.name} is live, and a live account has no sandbox controls`, {
      hint: 'use --profile sandbox',
    });
}

const isOn = (value: 'on' | 'off' | undefined) => (value === undefined ? undefined : value === 'on');

function portProblem(error: unknown, port: number): unknown {
  const { code } = error as { code?: unknown };
  if (code !== 'EADDRINUSE' && code !== 'EACCES') return error;
  const why = code === 'EACCES' ? 'may not be used by this user' : 'is in use';
  return new CliError('usage', `port ${port} ${why}`, {
    hint: 'choose another one with --port, or --port 0 for any free one',
  });
}

const serveCommand = command({
  words: ['sandbox', 'serve'],
  summary: 'Serve the embedded sandbox over HTTP on this machine',
  details: 'Stops on Ctrl-C. With -o json one line {"url","apiKey"} is printed when it is ready.',
  examples: ['fiatrail sandbox serve', 'fiatrail sandbox serve --port 0 -o json'],
  endpoints: [],
  isLocal: true,
  parameters: {
    port: option('--port <port>', 'TCP port; 0 picks a free one (default 8787)', wholeNumber(0, 65_535)),
    pace: option('--pace <pace>', 'set the pace: instant, quick or real', oneOf('instant', 'quick', 'real')),
    rateLimits: option('--rate-limits <on|off>', 'set the rate limits', oneOf('on', 'off')),
  },
  run: async (session, input) => {
    const { world, globals } = session;
    world.ensurePrivateDir(stateDir(world));
    const { serve } = await import('../sandbox/serve.ts');
    const port = input.port ?? 8787;
    const served = await serve(world, {
      path: sandboxPath(world),
      port,
      pace: input.pace,
      rateLimits: isOn(input.rateLimits),
    }).catch((error) => {
      throw portProblem(error, port);
    });
    const ready = { url: served.url, apiKey: served.apiKey };
    if (globals.present.format === 'table') {
      await world.stdout.write(`export FIATRAIL_BASE_URL=${ready.url}\nexport FIATRAIL_API_KEY=${ready.apiKey}\n`);
      await session.note('the sandbox is ready; set the two variables in another terminal, and stop it with Ctrl-C');
    } else {
      await world.stdout.write(`${JSON.stringify(ready)}\n`);
    }
    await new Promise<void>((resolve) => {
      if (world.interrupted.aborted) resolve();
      world.interrupted.addEventListener('abort', () => resolve(), { once: true });
    });
    await served.close();
    return {};
  },
});

const statusCommand = command({
  words: ['sandbox', 'status'],
  summary: 'Show the sandbox: its clock, its ledger, what it holds',
  examples: ['fiatrail sandbox status -o json --query ledger.balanced', 'fiatrail sandbox status --values'],
  endpoints: [sandboxStatus.id],
  parameters: { values: switchOn('--values', 'list the test values: BVNs and accounts with a meaning') },
  run: async (session, { values }) => {
    requireSandbox(session);
    return outcomeOf(session, sandboxStatus, await session.call(sandboxStatus, { values: values || undefined }));
  },
});

const resetCommand = command({
  words: ['sandbox', 'reset'],
  summary: 'Throw the sandbox away and seed it anew; its key stays',
  examples: ['fiatrail sandbox reset', 'fiatrail sandbox reset --pace instant --yes'],
  endpoints: [sandboxReset.id],
  parameters: { pace, rateLimits },
  run: async (session, input) => {
    requireSandbox(session);
    const reply = await session.change(
      sandboxReset,
      { pace: input.pace, rateLimits: isOn(input.rateLimits) },
      {
        summary: 'reset of the sandbox',
        lines: [['loses', 'every user, balance and request of this sandbox']],
      },
    );
    return outcomeOf(session, sandboxReset, reply);
  },
});

const seedCommand = command({
  words: ['sandbox', 'seed'],
  summary: 'Add users to the sandbox, or change its pace or rate limits, keeping what it holds',
  examples: ['fiatrail sandbox seed --users 250', 'fiatrail sandbox seed --pace instant --rate-limits off'],
  endpoints: [sandboxSeed.id],
  parameters: {
    users: option('--users <count>', 'verified users to add', wholeNumber(0, 1_000_000)),
    pace,
    rateLimits,
  },
  run: async (session, input) => {
    requireSandbox(session);
    const batch = 1000;
    const request = { pace: input.pace, rateLimits: isOn(input.rateLimits) };
    let left = input.users ?? 0;
    let reply = await session.call(sandboxSeed, { ...request, users: Math.min(left, batch) });
    for (left -= batch; left > 0; left -= batch)
      reply = await session.call(sandboxSeed, { users: Math.min(left, batch) });
    return outcomeOf(session, sandboxSeed, reply);
  },
});

const payCommand = command({
  words: ['sandbox', 'pay'],
  summary: 'Let a bank transfer arrive in a virtual account',
  details:
    "A one-time account takes the exact total in its 30 minutes; a user's permanent account takes any amount from the user's own name.",
  examples: [
    'fiatrail sandbox pay 7387420489 --amount 5075 --from "NGOZI OKAFOR"',
    'fiatrail sandbox pay 7387420489 --amount "507500 kobo" --from "NGOZI OKAFOR" -o json',
  ],
  endpoints: [sandboxPay.id],
  parameters: {
    account: argument('account', 'the virtual account, 10 digits', digits('account number', 10), 'Virtual account:'),
    amount: required('--amount <naira>', amountHelp('NGN'), amountOf('NGN'), 'Amount in Naira:'),
    from: required('--from <name>', "the sender's name as the bank has it", word, "Sender's name:"),
  },
  run: async (session, { account, amount, from }) => {
    requireSandbox(session);
    const request = { accountNumber: account, amount: toWireNumber(amount, 'naira'), senderName: from };
    return outcomeOf(session, sandboxPay, await session.call(sandboxPay, request));
  },
});

const advanceCommand = command({
  words: ['sandbox', 'advance'],
  summary: "Move the sandbox's clock forward and do all that falls due",
  examples: ['fiatrail sandbox advance 31m', 'fiatrail sandbox advance 5d -o json'],
  endpoints: [sandboxAdvance.id],
  parameters: { duration: argument('duration', '30s, 31m, 2h, 5d or 1y', duration, 'How long:') },
  run: async (session, input) => {
    requireSandbox(session);
    return outcomeOf(session, sandboxAdvance, await session.call(sandboxAdvance, { durationMs: input.duration }));
  },
});

const clockCommand = command({
  words: ['sandbox', 'clock'],
  summary: "Show the sandbox's clock beside the machine's",
  examples: ['fiatrail sandbox clock', 'fiatrail sandbox clock -o json --query now'],
  endpoints: [sandboxClock.id],
  parameters: {},
  run: async (session) => {
    requireSandbox(session);
    return outcomeOf(session, sandboxClock, await session.call(sandboxClock, {}));
  },
});

export const commands = [
  serveCommand,
  statusCommand,
  payCommand,
  advanceCommand,
  clockCommand,
  seedCommand,
  resetCommand,
];
