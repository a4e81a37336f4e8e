import { createServer, type Socket } from 'node:net';
import type { AtEnd } from './built.ts';
import { startFiatrail } from './in-process.ts';

/**
 * Takes the place of the program in a script of a shell: sends its folder, arguments and environment to the test, and prints what the command
 * prints there. It reads standard input when the command does, since the next line of a script may read the rest of it.
 */
const scriptFor = (port: number) => `#!/bin/bash
exec 3<> /dev/tcp/127.0.0.1/${port} || exit 70
{ printf '%s\\0' "$PWD" "$#" "$@" && env -0 && printf '\\0'; } >&3
while IFS= read -r -d '' -u 3 kind && IFS= read -r -d '' -u 3 text; do
  case $kind in
    stdin) { cat && printf '\\0'; } >&3 ;;
    stdout) printf %s "$text" ;;
    stderr) printf %s "$text" >&2 ;;
    exit) exit "$text" ;;
  esac
done
exit 70
`;

/** Runs the command that a connection asks for. */
async function serve(socket: Socket): Promise<void> {
  const words = wordsOf(socket);
  const word = async () => (await words.next()).value ?? '';
  const cwd = await word();
  const argv: string[] = [];
  for (let count = Number(await word()); count > 0; count -= 1) argv.push(await word());
  const env: Record<string, string> = {};
  for (let each = await word(); each !== ''; each = await word()) {
    const at = each.indexOf('=');
    env[each.slice(0, at)] = each.slice(at + 1);
  }
  const say = (kind: string, text: string) => void socket.write(`${kind}\0${text}\0`);
  const path = env['HOME'] ?? '';
  const running = startFiatrail({ path, stateDir: '', env: {} }, argv, {
    cwd,
    env,
    heard: say,
    input: () => {
      say('stdin', '');
      return word();
    },
  });
  socket.on('close', () => running.kill('SIGTERM'));
  const { code } = await running.end;
  say('exit', String(code));
  socket.end();
}

/** Yields the texts that a connection sends, each ended by a null character. */
async function* wordsOf(socket: Socket): AsyncGenerator<string, undefined> {
  let rest = '';
  for await (const part of socket.setEncoding('utf8')) {
    const parts = `${rest}${part}`.split('\0');
    rest = parts.pop() ?? '';
    yield* parts;
  }
}

/** Returns a program `fiatrail` for scripts, which runs its commands in this process. */
export async function programForShells(atEnd: AtEnd): Promise<string> {
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    // A script may end before its command does.
    socket.on('error', () => {});
    void serve(socket).catch((error: unknown) => socket.end(`stderr\0${String(error)}\0`));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEnd(() => void server.close());
  return scriptFor((server.address() as { port: number }).port);
}
