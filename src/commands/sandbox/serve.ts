import { sandboxPath, stateDir } from '../../account/paths.ts';
import { checkedServiceName } from '../../account/service-address.ts';
import { CliError } from '../../base/errors.ts';
import { formsFor } from '../../contract/answer-forms.ts';
import { directory } from '../../contract/directory.ts';
import { isOtherFee } from '../../contract/reading/values.ts';
import { printable } from '../../money/amount.ts';
import type { ServeOptions } from '../../sandbox/serve.ts';
import { command } from '../../terminal/command.ts';
import { hostAddress, hostName, listenProblem } from '../../terminal/parse/listening.ts';
import { oneOf, onOrOff, option, repeated, switchOn, wholeNumber } from '../../terminal/parse/parameters.ts';

const FORMS = oneOf('interface', 'public', 'public-older');

/** Reads `public,getvirtualaccount=flat,fx.trade=named`; an endpoint is named by its id or its path. */
function answerForms(text: string): Pick<ServeOptions, 'answers' | 'endpointForms'> {
  const parts = text.split(',').map((part) => part.split('='));
  const [first, ...others] = parts;
  const isForm = first?.length === 1;
  const named = (isForm ? others : parts).map(([name = '', form = '']) => {
    const endpoint = directory.find(({ id, path }) => id === name || path === `/${name.replace(/^\//, '')}`)?.id;
    if (endpoint === undefined)
      throw new CliError('usage', `invalid endpoint "${printable(name)}"`, {
        hint: 'list the endpoints with: fiatrail endpoints',
      });
    if (!formsFor(endpoint).includes(form))
      throw new CliError(
        'usage',
        `invalid form "${printable(form)}"; ${endpoint} has ${formsFor(endpoint).join(', ')}`,
      );
    return { endpoint, form };
  });
  return { answers: isForm ? FORMS(first[0] ?? '') : undefined, endpointForms: named };
}

const origin = (text: string): string => {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol) && new URL(text).origin === text) return text;
  throw new CliError('usage', `invalid origin "${text}"`, {
    hint: 'write scheme, host and port alone, such as http://localhost:3000',
  });
};

const serviceName = (text: string): string => {
  if (!isOtherFee(text)) return checkedServiceName(text);
  throw new CliError('usage', `invalid service name "${text}"`, {
    hint: 'other fees start with this word; choose another name, such as acme',
  });
};

export const serveCommand = command({
  words: ['sandbox', 'serve'],
  summary: 'Serve the embedded sandbox over HTTP on this machine',
  details:
    'Runs until Ctrl-C. With -o json it prints one line, {"url","apiKey"}, when ready. Requests from web pages, or whose Host header is not this address, are refused unless allowed. The controls that other sandbox commands use accept requests from this machine only.',
  examples: ['fiatrail sandbox serve', 'fiatrail sandbox serve --port 0 -o json'],
  endpoints: [],
  isLocal: true,
  parameters: {
    port: option('--port <port>', 'TCP port; 0 picks a free one (default 8787)', wholeNumber(0, 65_535)),
    host: option('--host <address>', 'IP address to listen on (default 127.0.0.1)', hostAddress),
    allowHost: repeated('--allow-host <name>', 'accept requests to this host name; can be repeated', hostName),
    allowOrigin: repeated(
      '--allow-origin <origin>',
      'accept requests from web pages of this origin; can be repeated',
      origin,
    ),
    answers: option(
      '--answers <form>',
      'documented form of the answers: interface (default), public or public-older; then, after commas, endpoints with a form of their own, such as getvirtualaccount=flat or fx.trade=named',
      answerForms,
    ),
    serviceName: option(
      '--service-name <name>',
      'name of the service in fee fields and in the path of the fee preview',
      serviceName,
    ),
    pace: option(
      '--pace <pace>',
      'how fast banks and blockchains are: instant, quick or real',
      oneOf('instant', 'quick', 'real'),
    ),
    rateLimits: option('--rate-limits <on|off>', 'enforce rate limits', onOrOff),
    webhooksToLoopback: switchOn(
      '--webhooks-to-loopback',
      'allow webhook URLs on this machine, such as http://127.0.0.1:3000',
    ),
  },
  run: async (session, input) => {
    const { world, globals } = session;
    world.ensurePrivateDir(stateDir(world));
    const [{ serve }, { isLoopback }] = await Promise.all([
      import('../../sandbox/serve.ts'),
      import('../../sandbox/host-check.ts'),
    ]);
    const { host = '127.0.0.1', port = 8787 } = input;
    const served = await serve(world, {
      path: sandboxPath(world),
      port,
      host,
      allowHosts: input.allowHost,
      allowOrigins: input.allowOrigin,
      ...input.answers,
      serviceName: input.serviceName,
      pace: input.pace,
      rateLimits: input.rateLimits,
      exchange: world.network,
      webhooksToLoopback: input.webhooksToLoopback,
    }).catch((error) => {
      throw listenProblem(error, host, port);
    });
    if (!isLoopback(host))
      await session.say(
        `warning: ${host} is not a loopback address: other machines can reach this sandbox, unencrypted`,
      );
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
