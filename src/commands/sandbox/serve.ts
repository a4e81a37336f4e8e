import { absolutePath, sandboxPath, stateDir } from '../../account/paths.ts';
import { checkedServiceName } from '../../account/profile.ts';
import { advice } from '../../base/advice.ts';
import { CliError } from '../../base/errors.ts';
import { listenProblem } from '../../base/listening.ts';
import type { World } from '../../base/world.ts';
import { formsFor } from '../../contract/answer-forms.ts';
import { directory } from '../../contract/directory.ts';
import { isOtherFee } from '../../contract/reading/values.ts';
import type { Account } from '../../engine/account.ts';
import type { Inspector } from '../../inspector/server.ts';
import type { InspectorSource } from '../../inspector/source.ts';
import { printable } from '../../money/amount.ts';
import { requireUnmasked } from '../../present/result.ts';
import type { ServedSandbox, ServeOptions } from '../../sandbox/serve.ts';
import { command } from '../../terminal/command.ts';
import { hostAddress, hostName, untilInterrupted } from '../../terminal/parse/listening.ts';
import { newFile, oneOf, onOrOff, option, repeated, switchOn, wholeNumber } from '../../terminal/parse/parameters.ts';

const FORMS = oneOf('interface', 'public', 'public-older');

/** Reads `public,getvirtualaccount=flat,fx.trade=named`; an endpoint is named by its id or its path. */
function answerForms(text: string): Pick<ServeOptions, 'responses' | 'endpointForms'> {
  const parts = text.split(',').map((part) => part.split('='));
  const [first, ...others] = parts;
  const isForm = first?.length === 1;
  const named = (isForm ? others : parts).map(([name = '', form = '']) => {
    const endpoint = directory.find(({ id, path }) => id === name || path === `/${name.replace(/^\//, '')}`)?.id;
    if (endpoint === undefined)
      throw new CliError('usage', `invalid endpoint "${printable(name)}"`, {
        hint: advice`list the endpoints with: [fiatrail endpoints]`,
      });
    if (!formsFor(endpoint).includes(form))
      throw new CliError(
        'usage',
        `invalid form "${printable(form)}"; ${endpoint} has ${formsFor(endpoint).join(', ')}`,
      );
    return { endpoint, form };
  });
  return { responses: isForm ? FORMS(first[0] ?? '') : undefined, endpointForms: named };
}

const origin = (text: string): string => {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol) && new URL(text).origin === text) return text;
  throw new CliError('usage', `invalid origin "${text}"`, {
    hint: 'write only scheme, host and port, such as http://localhost:3000',
  });
};

const serviceName = (text: string): string => {
  if (!isOtherFee(text)) return checkedServiceName(text);
  throw new CliError('usage', `invalid service name "${text}"`, {
    hint: 'other fees start with this word; choose another name, such as acme',
  });
};

/** After this many requests, the heap is large enough for a busy sandbox. */
const BUSY_AFTER = 1_000;

/** What is recorded of each request is short-lived, and would double the heap again and again; a small one from the start costs a third of the speed. */
function steadied(observe: NonNullable<ServeOptions['observe']>, { steadyMemory }: World): typeof observe {
  let count = 0;
  return (exchange) => {
    count += 1;
    if (count === BUSY_AFTER) steadyMemory();
    observe(exchange);
  };
}

export const serveCommand = command({
  words: ['sandbox', 'serve'],
  summary: 'Serve the embedded sandbox over HTTP on this machine',
  details:
    'Runs until Ctrl-C. With -o json it prints one line, {"url","apiKey"}, when ready; with --inspect also "inspector", the address of the page. Requests from web pages, or whose Host header is not this address, are rejected unless allowed. The controls that other sandbox commands use accept requests from this machine only.',
  examples: ['fiatrail sandbox serve', 'fiatrail sandbox serve --port 0 -o json'],
  endpoints: [],
  isLocal: true,
  parameters: {
    port: option('--port <port>', 'TCP port; 0 picks a free one (default 8787)', wholeNumber(0, 65_535)),
    host: option('--host <address>', 'IP address to listen on (default 127.0.0.1)', hostAddress),
    allowHost: repeated('--allow-host <name>', 'accept requests to this host name', hostName),
    allowOrigin: repeated('--allow-origin <origin>', 'accept requests from web pages of this origin', origin),
    responses: option(
      '--responses <form>',
      'response format to emulate: interface, public or public-older (default interface); ENDPOINT=FORMAT after a comma overrides it for an endpoint, such as getvirtualaccount=flat or fx.trade=named',
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
    inspect: switchOn('--inspect', 'show what the sandbox does in the inspector, a web page of this machine'),
    inspectPort: option(
      '--inspect-port <port>',
      'TCP port of the inspector (default: any free port)',
      wholeNumber(0, 65_535),
    ),
    inspectSave: option(
      '--inspect-save <file>',
      'save what the inspector shows to this new file, on request and on exit',
      newFile,
    ),
    withPersonalData: switchOn('--with-personal-data', 'leave names, accounts and addresses in the saved file'),
  },
  run: async (account, terminal, input) => {
    const { world } = account;
    if (input.inspectSave !== undefined && !input.inspect)
      throw new CliError('usage', '--inspect-save is about --inspect', { hint: 'add --inspect' });
    if (input.withPersonalData && input.inspectSave === undefined)
      throw new CliError('usage', '--with-personal-data is about --inspect-save', { hint: 'add --inspect-save FILE' });
    const { present } = account.globals;
    if (input.withPersonalData) requireUnmasked(present, '--with-personal-data saves');
    world.ensurePrivateDir(stateDir(world));
    const [{ serve }, { isLoopback }] = await Promise.all([
      import('../../sandbox/serve.ts'),
      import('../../sandbox/host-check.ts'),
    ]);
    const { host = '127.0.0.1', port = 8787 } = input;
    const tell = (text: string) => void account.notices.say(`warning: ${text}`).catch(() => {});
    const watch = input.inspect
      ? await (await import('../../inspector/sandbox/watch.ts')).watchSandbox(tell)
      : undefined;
    const served = await serve(world, {
      path: sandboxPath(world),
      port,
      host,
      allowHosts: input.allowHost,
      allowOrigins: input.allowOrigin,
      ...input.responses,
      serviceName: input.serviceName,
      pace: input.pace,
      rateLimits: input.rateLimits,
      exchange: world.network,
      webhooksToLoopback: input.webhooksToLoopback,
      observe: watch?.observe && steadied(watch.observe, world),
      onStep: watch?.onStep,
    }).catch((error) => {
      watch?.close();
      throw listenProblem(error, host, port);
    });
    const source = watch?.source(served.inside, terminal.globals.zone);
    const save = source && input.inspectSave && (await savingTo(world, source, input.inspectSave, input));
    const shown = source && (await import('../../inspector/masked.ts')).shownSource(source, present.mask);
    const inspector = shown && (await openPage(account, save ? withSave(shown, save) : shown, input.inspectPort ?? 0));
    try {
      if (!isLoopback(host))
        await account.notices.say(
          `warning: ${host} is not a loopback address: other machines can reach this sandbox, unencrypted`,
        );
      await sayReady(account, served, inspector?.url);
      await untilInterrupted(world);
      if (save) await save();
    } finally {
      await inspector?.close();
      await served.close();
      watch?.close();
    }
    return {};
  },
});

/** Makes the new file at once, so that a wrong path is reported before anything is done. Returns what saves the session into it. */
async function savingTo(
  world: World,
  source: InspectorSource,
  file: string,
  { withPersonalData = false }: { readonly withPersonalData?: boolean | undefined },
): Promise<() => Promise<void>> {
  const path = absolutePath(file);
  const [{ sessionText }, { createMask }, { createPrivateBytes }, { replaceFile }] = await Promise.all([
    import('../../inspector/saved.ts'),
    import('../../contract/mask/index.ts'),
    import('../../files/plain-file.ts'),
    import('../../files/private-file.ts'),
  ]);
  try {
    createPrivateBytes(path, new Uint8Array());
  } catch (error) {
    throw new CliError('usage', `${path} cannot be created`, {
      code: 'UNUSABLE_FILE',
      hint: 'give the path of a new file in a folder that exists',
      cause: error,
    });
  }
  return async () => {
    const text = await sessionText(source, {
      nowMs: world.clock.now(),
      mask: withPersonalData ? undefined : createMask(),
    });
    replaceFile(path, text, world.ids.uuid());
  };
}

const withSave = (source: InspectorSource, save: () => Promise<void>): InspectorSource => ({
  ...source,
  actions: {
    ...source.actions,
    save: async () => {
      await save();
      return {};
    },
  },
});

/** Serves the page of --inspect, on the loopback interface alone. */
async function openPage({ world }: Account, source: InspectorSource, port: number): Promise<Inspector> {
  const { serveInspector } = await import('../../inspector/server.ts');
  return serveInspector(world, source, { host: '127.0.0.1', port }).catch((error) => {
    throw listenProblem(error, '127.0.0.1', port, '--inspect-port');
  });
}

async function sayReady(
  { world, globals, notices: { note } }: Account,
  { url, apiKey }: ServedSandbox,
  inspector?: string,
) {
  if (globals.present.format !== 'table') {
    await world.stdout.write(`${JSON.stringify({ url, apiKey, ...(inspector && { inspector }) })}\n`);
    return;
  }
  await world.stdout.write(`export FIATRAIL_BASE_URL=${url}\nexport FIATRAIL_API_KEY=${apiKey}\n`);
  await note('the sandbox is ready; set both variables in another terminal. Press Ctrl-C to stop');
  if (inspector) await note(`see what it does at ${inspector} (this address works once)`);
}
