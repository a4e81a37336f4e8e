import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { ROOT, requireBuilt } from '../support/built.ts';
import { blocksOf, cronHome } from './scripts.ts';

beforeAll(requireBuilt);

const BLOCKS = blocksOf('docs/quick-start.md', 'sh');
const NEEDS_AN_ACCOUNT = '# with an account\n';

/** The page's lines for someone without an account. The packages are installed already. */
const LINES = BLOCKS.filter((block) => !block.startsWith(NEEDS_AN_ACCOUNT))
  .join('')
  .replace(/^npm ci$/m, ':')
  .split('\n')
  .filter((line) => line !== '');

/** Prints each line before its output. If a line fails, the served sandbox ends, too. */
const SESSION = `exec 2>&1
set -eu
trap 'kill "$SANDBOX" 2> /dev/null || true' EXIT
# The page puts the program in the place of what runs a command in the process of the test.
mv "$HOME/.local/bin/fiatrail" "$HOME/here"
# Someone who agrees to each question. The server must be the process that the page ends, not its parent.
fiatrail() {
  case "$1 \${2-}" in
    "sandbox serve")
      sh -c 'echo "$PPID"' > "$HOME/server.pid"
      exec "$HOME/.local/bin/fiatrail" "$@"
      ;;
    --version* | whoami*) command fiatrail "$@" ;;
    *) "$HOME/here" --yes "$@" ;;
  esac
}
cd '${ROOT}'
set -v
${LINES.join('\n').replace('\nfiatrail tour\n', '\ncd "$HOME"\nfiatrail tour\n')}
trap - EXIT
`;

/** Splits a session into the lines of the page and what each of them printed, in their order. */
function outputs(session: string): (readonly [line: string, printed: string])[] {
  let at = 0;
  const starts = LINES.map((line) => {
    const start = session.startsWith(`${line}\n`, at) ? at : session.indexOf(`\n${line}\n`, at - 1) + 1;
    if (start === 0 && at > 0) throw new Error(`the session does not reach "${line}":\n${session.slice(at)}`);
    at = start + line.length + 1;
    return start;
  });
  return LINES.map((line, index) => [
    line,
    session.slice((starts[index] ?? 0) + line.length + 1, starts[index + 1] ?? session.length),
  ]);
}

/** Ends the served sandbox of a session that hangs. */
function endServer(home: string): void {
  const file = join(home, 'server.pid');
  if (!existsSync(file)) return;
  try {
    process.kill(Number(readFileSync(file, 'utf8')));
  } catch {
    // It has ended, as it should.
  }
}

test('the commands of the page connect an account to a served sandbox', { timeout: 180_000 }, async () => {
  const home = await cronHome();
  onTestFinished(() => endServer(home.path));
  // From a file: a shell that gets its script in an argument does not print the lines that it reads.
  const script = join(home.path, 'session.sh');
  writeFileSync(script, SESSION);
  const { stdout, code } = await home.run('/bin/sh', [script]);
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.anything() });
  const session = outputs(stdout);
  /** What the line that begins with `start` printed: the first such line, or a later one. */
  const printed = (start: string, index = 0) => session.filter(([line]) => line.startsWith(start))[index]?.[1];

  for (const page of ['fiatrail', 'fiatrail-users'])
    expect(readFileSync(join(home.path, '.local/share/man/man1', `${page}.1`), 'utf8')).toContain('.TH FIATRAIL');
  expect(printed('fiatrail --version')).toMatch(/^\d+\.\d+\.\d+\n/);
  expect(printed('fiatrail tour')).toContain('That is the tour');
  expect(printed('fiatrail doctor')).toMatch(/key accepted +ok/);
  expect(printed('fiatrail doctor')).not.toContain(' problem ');
  expect(printed('fiatrail doctor')?.match(/\bwarning\b.*/g)).toEqual([expect.stringContaining('allowlist is empty')]);
  expect(printed('fiatrail whoami')).toMatch(/^Profile +main$/m);
  expect(printed('fiatrail status')).toMatch(/^Reachable +yes$/m);
  expect(printed('fiatrail bank-accounts list')).toMatch(/ 0690000031 +ACCESS BANK +yes /);
  expect(printed('fiatrail profiles rules set main --max-per-day "NGN')).toMatch(
    /max-per-day +NGN 2000000 .*require-once +on /s,
  );
  expect(printed('fiatrail profiles rules set reports')).toMatch(/read-only +on /);
  expect(printed('fiatrail onramp account')).toMatch(/^Total amount with fee +₦5,100\.00$/m);
  expect(printed('fiatrail onramp account')).toMatch(/Fintech fee amount +₦25\.00.*Platform fee amount +₦75\.00/s);
  expect(printed('fiatrail onramp status')).toMatch(/^Status +completed$/m);
  expect(printed('fiatrail balances user')).toMatch(/^Balance +5,000\.00 cNGN$/m);
  expect(printed('fiatrail fees withdraw', 0)).toMatch(/^Dry run +yes$/m);
  expect(printed('fiatrail fees withdraw', 1)).toMatch(/^Status +pending$/m);
  expect(printed('fiatrail fees withdraw', 2)).toContain('already done under the idempotency key first-fees');
  expect(printed('fiatrail ops list --status unknown', 0)).not.toContain('unknown');
  expect(printed('echo "exit code $code"')).toBe('exit code 6\n');
  expect(printed('fiatrail ops list --status unknown', 1)).toMatch(/ unknown +withdraw ₦2,000\.00 /);
  expect(printed('fiatrail ops reconcile', 1)).toMatch(/ accepted .*withdraw ₦2,000\.00 /);
  expect(printed('fiatrail fees withdrawals list')?.match(/₦\d,000\.00/g)).toEqual(['₦2,000.00', '₦1,000.00']);

  for (const secret of ['key.txt', 'bvn.txt']) expect(existsSync(join(home.path, secret))).toBe(false);
  const { url } = JSON.parse(readFileSync(join(home.path, 'served.json'), 'utf8')) as { url: string };
  await expect(fetch(url)).rejects.toThrow('fetch failed');
});

test('the key of an account goes to a file that only its owner can read', async () => {
  const home = await cronHome();
  const [block = ''] = BLOCKS.filter((each) => each.startsWith(NEEDS_AN_ACCOUNT));
  const { code } = await home.run('/bin/sh', ['-c', block], 'a-key\n');
  const file = join(home.path, 'key.txt');
  expect({ code, text: readFileSync(file, 'utf8'), mode: statSync(file).mode & 0o777 }).toEqual({
    code: 0,
    text: 'a-key\n',
    mode: 0o600,
  });
});
