import { sandboxPath, stateDir } from '../../account/paths.ts';
import { CliError } from '../../base/errors.ts';
import { command } from '../../cli/command.ts';
import { oneOf, onOrOff, option, wholeNumber } from '../../cli/parameters.ts';

function portProblem(error: unknown, port: number): unknown {
  const { code } = error as { code?: unknown };
  if (code !== 'EADDRINUSE' && code !== 'EACCES') return error;
  const why = code === 'EACCES' ? 'requires more privileges' : 'is already in use';
  return new CliError('usage', `port ${port} ${why}`, {
    hint: 'choose another port with --port, or use --port 0 for any free port',
  });
}

export const serveCommand = command({
  words: ['sandbox', 'serve'],
  summary: 'Serve the embedded sandbox over HTTP on this machine',
  details: 'Runs until Ctrl-C. With -o json it prints one line, {"url","apiKey"}, when ready.',
  examples: ['fiatrail sandbox serve', 'fiatrail sandbox serve --port 0 -o json'],
  endpoints: [],
  isLocal: true,
  parameters: {
    port: option('--port <port>', 'TCP port; 0 picks a free one (default 8787)', wholeNumber(0, 65_535)),
    pace: option(
      '--pace <pace>',
      'speed of banks and chains: instant, quick or real',
      oneOf('instant', 'quick', 'real'),
    ),
    rateLimits: option('--rate-limits <on|off>', 'enforce rate limits', onOrOff),
  },
  run: async (session, input) => {
    const { world, globals } = session;
    world.ensurePrivateDir(stateDir(world));
    const { serve } = await import('../../sandbox/serve.ts');
    const port = input.port ?? 8787;
    const served = await serve(world, {
      path: sandboxPath(world),
      port,
      pace: input.pace,
      rateLimits: input.rateLimits,
    }).catch((error) => {
      throw portProblem(error, port);
    });
    const ready = { url: served.url, apiKey: served.apiKey };
    if (globals.present.format === 'table') {
      await world.stdout.write(`export FIATRAIL_BASE_URL=${ready.url}\nexport FIATRAIL_API_KEY=${ready.apiKey}\n`);
      await session.note('the sandbox is ready; set both variables in another terminal. Press Ctrl-C to stop');
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
