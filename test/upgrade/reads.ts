/** What is read from old states: what a person would miss. Nothing of it changes with the time at which it is read. */
export const READS: readonly (readonly [name: string, argv: readonly string[]])[] = [
  [
    'operations',
    [
      'ops',
      'list',
      '--all',
      '-q',
      '-o',
      'json',
      '--query',
      'operations[].[operationId, endpoint, state, idempotencyKey]',
    ],
  ],
  ['journal', ['ops', 'journal', 'verify', '-q', '-o', 'json', '--query', '[entries, checkpoint]']],
  ['plans', ['plans', 'list', '-q', '-o', 'json', '--query', 'plans[].[plan, author, hash]']],
  ['files', ['bulk', 'status', '-q', '-o', 'json', '--query', 'files[].[key, rows, done, waiting]']],
  ['approvers', ['profiles', 'approvers', 'list', '-q', '-o', 'json', '--query', 'approvers[].[name, publicKey]']],
  ['profiles', ['profiles', 'list', '-q', '-o', 'json', '--query', 'profiles[].[name, mode, baseUrl]']],
  ['rules', ['profiles', 'rules', 'show', '-q', '-o', 'json']],
  [
    'events',
    ['webhooks', 'inbox', 'list', '--all', '-q', '-o', 'json', '--query', 'events[].[eventId, event, status]'],
  ],
  [
    'copy',
    [
      'sql',
      'SELECT thing, count(*) AS count, sum(amount_minor) AS sum FROM book_entries GROUP BY thing ORDER BY thing',
      '-q',
      '-o',
      'json',
    ],
  ],
  ['books', ['report', 'books', '2026-10', '--format', 'csv', '-q']],
  ['sandbox', ['sandbox', 'status', '-q', '-o', 'json', '--query', 'ledger']],
];

/** What a command printed, without what differs from machine to machine. */
export const readFrom = (stdout: string) => stdout.trim();
