import { sandboxPath, stateDir } from '../../account/paths.ts';
import { CliError } from '../../base/errors.ts';
import { command } from '../../cli/command.ts';
import { oneOf, onOrOff, option, wholeNumber } from '../../cli/parameters.ts';

function portProblem(error: unknown, port: number): unknown {
  const { code } = error as { code?: unknown };
  if (code !== 'EADDRINUSE' && code !== 'EACCES') return error;
  const why = code === 'EACCES' ? 'may not be used by this user' : 'is in use';
  return new CliError('usage', `port ${port} ${why}`, {
    hint: 'choose another one with --port, or --port 0 for any free one',
  });
}

export const serveCommand = command({
  words: ['sandbox', 'serve'],
  summary: 'Serve the embedded sandbox over HTTP on this machine',
  details: 'Stops on Ctrl-C. With -o json one line {"url","apiKey"} is printed when it is ready.',
  examples: ['fiatrail sandbox serve', 'fiatrail sandbox serve --port 0 -o json'],
  endpoints: [],
  isLocal: true,
  parameters: {
    port: option('--port <port>', 'TCP port; 0 picks a free one (default 8787)', wholeNumber(0, 65_535)),
    pace: option('--pace <pace>', 'set the pace: instant, quick or real', oneOf('instant', 'quick', 'real')),
    rateLimits: option('--rate-limits <on|off>', 'set the rate limits', onOrOff),
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
