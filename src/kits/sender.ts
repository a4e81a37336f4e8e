import { advice } from '../base/advice.ts';
import { CliError } from '../base/errors.ts';
import { Secret } from '../base/secret.ts';
import type { Exchange } from '../base/world.ts';
import { createClient as createSender, encryptedExchange } from '../client/client.ts';
import { validRequest } from '../client/request.ts';
import { directory } from '../contract/directory.ts';
import type { Endpoint, RequestOf } from '../contract/endpoint.ts';
import { createLoader } from '../contract/load.ts';
import { shapeOf, unwrap } from '../contract/rows.ts';
import { fromWire, isAsset, printable, toWireNumber, toWireText } from '../money/amount.ts';
import { assetOf, isPlainAmount, toPlain } from '../present/plain.ts';
import { systemClock } from '../system/time-and-chance.ts';
import type { Client, ClientOptions } from './types.ts';

const TIMEOUT_MS = 60_000;

/** A client that sends through `exchange`. */
export function clientOver(exchange: Exchange, options: Omit<ClientOptions, 'fetch'>): Client {
  const { privateKeys = [], signal = new AbortController().signal, onWarning } = options;
  const encryptionPolicy = {
    platformKeyHex: options.platformKey,
    isRequired: options.requiresEncryption ?? false,
    privateKeys: async () => privateKeys.map((key) => new Secret(key)),
  };
  const sender = createSender({
    exchange: encryptedExchange(exchange, encryptionPolicy),
    target: {
      baseUrl: addressOf(options.baseUrl),
      apiKey: new Secret(options.apiKey),
      serviceName: options.serviceName,
    },
    clock: systemClock,
    totalMs: options.timeoutMs ?? TIMEOUT_MS,
    interrupted: signal,
    ...(onWarning ? { warn: onWarning } : {}),
  });
  const load = createLoader();
  return {
    call: async (operation: string, input: Readonly<Record<string, unknown>> = {}) => {
      const entry = directory.find(({ id }) => id === operation);
      if (!entry)
        throw new CliError('usage', `there is no operation "${printable(operation)}"`, {
          code: 'VALIDATION_ERROR',
          hint: advice`list them with: [fiatrail endpoints]`,
        });
      const endpoint = await load(entry);
      const sent = onWire(endpoint, input);
      const { data, problems } = await sender.call(validRequest(endpoint, sent as RequestOf<Endpoint>));
      for (const problem of problems) onWarning?.(`the response does not match the contract at ${problem}`);
      const plain = toPlain(data, endpoint.response(), endpoint.nests, sent);
      // Numbers that keep their source text become numbers.
      return JSON.parse(JSON.stringify(plain));
    },
  };
}

/** Returns the base URL without a slash at its end. Throws FiatrailError usage. */
function addressOf(baseUrl: string): string {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (url && /^https?:$/.test(url.protocol) && url.search === '' && url.hash === '' && url.username === '')
    return baseUrl.replace(/\/+$/, '');
  throw new CliError('usage', `invalid baseUrl "${printable(baseUrl)}"`, { hint: 'such as https://host.test/v1' });
}

/** Returns a request with its amounts in the units of the service. Throws FiatrailError usage. */
function onWire(endpoint: Endpoint, input: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const shape = shapeOf(endpoint.request()) ?? {};
  return Object.fromEntries(
    Object.entries(input).map(([name, value]) => {
      const meta = Object.hasOwn(shape, name) && shape[name] ? unwrap(shape[name]).meta : undefined;
      const { unit, asset: rule } = meta ?? {};
      if (value === undefined || unit === undefined || unit === 'percent') return [name, value];
      const problem = (expected: string) =>
        new CliError('usage', `${name}: expected ${expected}`, { code: 'VALIDATION_ERROR' });
      if (!isPlainAmount(value) || value.value === null || value.known || !value.asset || !isAsset(value.asset))
        throw problem("an amount such as { value: '5000.00', asset: 'NGN' }");
      const asset = assetOf(rule, [input]);
      if (asset !== null && asset !== value.asset) throw problem(`an amount of ${asset}, not ${value.asset}`);
      const amount = /^\d+(\.\d+)?$/.test(value.value)
        ? fromWire(value.value, 'decimal-string', value.asset)
        : undefined;
      if (!amount) throw problem(`a decimal of ${value.asset}, not "${printable(value.value)}"`);
      return [name, meta?.type === 'string' ? toWireText(amount, unit) : toWireNumber(amount, unit)];
    }),
  );
}
