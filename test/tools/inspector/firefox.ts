import { Script } from 'node:vm';
import { type Browser, type BrowserContextOptions, firefox } from 'playwright-core';
import type { AtEnd } from '../../support/built.ts';
import { programOf } from '../programs.ts';
import type { Contexts } from './browser.ts';

/** What playwright-core says to a browser over WebDriver BiDi. */
interface Message {
  readonly id: number;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

interface Transport {
  send(message: Message): void;
  onmessage?(message: object): void;
}

interface OverBidi {
  connectToTransport(transport: Transport, options: object): Promise<unknown>;
}

/** The inside of playwright-core, which has what speaks WebDriver BiDi with the newest Firefox. */
interface Inside {
  readonly _connection: { toImpl(of: object): { readonly _bidiFirefox: OverBidi } };
}

/** What the Firefox of Debian does not know yet. What matters of it here is said by preferences instead: see `preferencesOf`. */
const UNKNOWN = new Set([
  'browser.setDownloadBehavior',
  'emulation.setMediaFeaturesOverride',
  'emulation.setScreenOrientationOverride',
  'emulation.setScreenSettingsOverride',
  'network.addDataCollector',
]);

/** How playwright-core evaluates a text: with eval, which the content security policy of the page forbids to everyone in Firefox. */
const EVALUATES = '(utilityScript, ...args) => utilityScript.evaluate(...args)';

/** Has the text of an evaluation compiled by the debugger, as part of the function that is called, and not by eval. */
function withoutEval(message: Message): Message {
  const { params } = message;
  if (message.method !== 'script.callFunction' || params['functionDeclaration'] !== EVALUATES) return message;
  const [script, isFunction, isByValue, text, ...more] = params['arguments'] as readonly { readonly value?: unknown }[];
  const body = bodyOf(String(text?.value));
  const functionDeclaration = `(script, ...args) =>
    script.evaluate.apply(Object.create(script, { global: { value: { eval: () => ${body} } } }), args)`;
  const given = [script, isFunction, isByValue, { type: 'string', value: '' }, ...more];
  return { ...message, params: { ...params, functionDeclaration, arguments: given } };
}

/** What a function does whose result is that of a text; of statements there is none. */
function bodyOf(text: string): string {
  try {
    new Script(`(${text}\n)`);
    return `(${text}\n)`;
  } catch {
    return `{ ${text}\n}`;
  }
}

/** The function of the page that playwright-core has texts inserted by. It installs its own with eval. */
const INSERTS = `window.__pw_bidiInsertText = (text) => document.execCommand('insertText', false, text)`;

/** What a command without a result, and a function without one, end with. */
const DONE = { type: 'success', result: { type: 'undefined' } };

/** Whether a message is only about what `INSERTS` does instead. */
const isExtension = ({ params }: Message) =>
  params['functionDeclaration'] === EVALUATES && /injectedScript\.extend\(/.test(JSON.stringify(params['arguments']));

/** Says to a browser what the Firefox of Debian understands, and says yes in its name to what it does not know. */
function adapted(transport: Transport): Transport {
  const send = transport.send.bind(transport);
  transport.send = (message) => {
    if (!UNKNOWN.has(message.method) && !isExtension(message)) send(withoutEval(message));
    else setImmediate(() => transport.onmessage?.({ type: 'success', id: message.id, result: DONE }));
  };
  return transport;
}

/** Has playwright-core speak with the Firefox of Debian so. */
function adapt(): void {
  const bidi = (firefox as unknown as Inside)._connection.toImpl(firefox)._bidiFirefox;
  const { connectToTransport } = Object.getPrototypeOf(bidi) as OverBidi;
  bidi.connectToTransport = (transport, options) => connectToTransport.call(bidi, adapted(transport), options);
}

const SCHEMES = { dark: 0, light: 1, 'no-preference': 1 } as const;

/** What the options of a context are in a Firefox that only has preferences for them. */
function preferencesOf({
  colorScheme,
  reducedMotion,
  proxy,
}: BrowserContextOptions): Record<string, number | string | boolean> {
  const { hostname, port } = new URL(proxy?.server ?? 'http://127.0.0.1:0');
  return {
    'layout.css.prefers-color-scheme.content-override': SCHEMES[colorScheme ?? 'light'],
    'ui.prefersReducedMotion': reducedMotion === 'reduce' ? 1 : 0,
    ...(proxy && {
      'network.proxy.type': 1,
      'network.proxy.http': hostname,
      'network.proxy.http_port': Number(port),
      'network.proxy.allow_hijacking_localhost': true,
    }),
  };
}

/** Starts a Firefox for each kind of context that the tests of a file ask for. */
export function startFirefox(atEnd: AtEnd): Contexts {
  const executablePath = programOf('firefox-esr', 'firefox-esr');
  adapt();
  const started = new Map<string, Promise<Browser>>();
  const start = async (firefoxUserPrefs: Record<string, number | string | boolean>) => {
    const browser = await firefox.launch({ channel: 'moz-firefox', executablePath, firefoxUserPrefs });
    atEnd(() => browser.close());
    return browser;
  };
  return {
    newContext: async (options = {}) => {
      const { colorScheme: _scheme, reducedMotion: _motion, proxy: _proxy, ...others } = options;
      const preferences = preferencesOf(options);
      const key = JSON.stringify(preferences);
      const browser = started.get(key) ?? start(preferences);
      started.set(key, browser);
      const context = await (await browser).newContext(others);
      await context.addInitScript(INSERTS);
      return context;
    },
  };
}
