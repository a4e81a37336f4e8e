import { sandboxReset, sandboxSeed } from '../../contract/control.ts';
import { outcomeOf } from '../../engine/outcome.ts';
import { command } from '../../terminal/command.ts';
import { oneOf, onOrOff, option, wholeNumber } from '../../terminal/parse/parameters.ts';
import { acceptPlainResponses, requireSandbox } from './require-sandbox.ts';

const pace = option(
  '--pace <pace>',
  'how fast banks and blockchains are: instant, quick or real (default quick)',
  oneOf('instant', 'quick', 'real'),
);
const rateLimits = option('--rate-limits <on|off>', 'enforce rate limits (default on)', onOrOff);

export const resetCommand = command({
  words: ['sandbox', 'reset'],
  summary: 'Reset the sandbox to its initial data',
  details: 'Deletes everything in the sandbox except its key, then seeds it again.',
  examples: ['fiatrail sandbox reset', 'fiatrail sandbox reset --pace instant --yes'],
  endpoints: [sandboxReset.id],
  prints: { response: sandboxReset },
  parameters: { pace, rateLimits },
  run: async (session, input) => {
    requireSandbox(session);
    const reply = await session.change(
      sandboxReset,
      { pace: input.pace, rateLimits: input.rateLimits },
      {
        summary: 'reset the sandbox',
        lines: [['loses', 'every user, balance and request in this sandbox']],
      },
    );
    await acceptPlainResponses(session);
    const { mode, name } = session.profile;
    const journal = await session.existingJournal();
    await journal?.destroyed({ mode, profile: name }, await session.accountNames());
    return outcomeOf(session, sandboxReset, reply);
  },
});

/** The maximum number of rows in one request. */
const USERS_AT_ONCE = 1_000;
const TRANSACTIONS_AT_ONCE = 50_000;

/** Splits `count` into parts of at most `size` rows; `done` is the number of rows before each part. */
function parts(count: number, size: number): { done: number; rows: number }[] {
  const starts = Array.from({ length: Math.ceil(count / size) }, (_each, index) => index * size);
  return starts.map((done) => ({ done, rows: Math.min(size, count - done) }));
}

export const seedCommand = command({
  words: ['sandbox', 'seed'],
  summary: 'Add users or a transaction history to the sandbox',
  details:
    'Existing data is kept. A history consists of completed deposits and payouts of 40 users over the past year; missing users are created. Also changes the pace and the rate limits.',
  examples: [
    'fiatrail sandbox seed --users 250',
    'fiatrail sandbox seed --history 100000',
    'fiatrail sandbox seed --pace instant --rate-limits off',
  ],
  endpoints: [sandboxSeed.id],
  prints: { response: sandboxSeed },
  parameters: {
    users: option('--users <count>', 'number of verified users to add', wholeNumber(0, 1_000_000)),
    history: option('--history <count>', 'number of completed transactions to add', wholeNumber(0, 10_000_000)),
    pace,
    rateLimits,
  },
  run: async (session, { users = 0, history = 0, ...settings }) => {
    requireSandbox(session);
    let reply = await session.call(sandboxSeed, settings);
    for (const { rows } of parts(users, USERS_AT_ONCE)) reply = await session.call(sandboxSeed, { users: rows });
    for (const { done, rows } of parts(history, TRANSACTIONS_AT_ONCE)) {
      reply = await session.call(sandboxSeed, { history: rows, historyDone: done, historyTotal: history });
      if (history > TRANSACTIONS_AT_ONCE) await session.note(`${done + rows} of ${history} transactions`);
    }
    return outcomeOf(session, sandboxSeed, reply);
  },
});
