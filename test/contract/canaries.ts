import type * as z from 'zod/mini';
import { controls } from '../../src/contract/control.ts';
import { endpoints } from '../../src/contract/endpoints/index.ts';
import { EVENT_PAYLOADS } from '../../src/contract/event-payloads.ts';
import { elementOf, type FieldRow, rowsOf, shapeOf, unwrap } from '../../src/contract/rows.ts';

/** A request, a response or an event of the contract. */
export interface Message {
  readonly name: string;
  readonly schema: z.ZodMiniType;
}

export const MESSAGES: readonly Message[] = [
  ...[...controls, ...endpoints].flatMap(({ id, request, response }) => [
    { name: `${id} request`, schema: request() },
    { name: `${id} response`, schema: response() },
  ]),
  ...Object.entries(EVENT_PAYLOADS).map(([name, payload]) => ({ name, schema: payload() })),
];

/** Whether anything can be written in a field. */
export const isText = ({ type, unit, secret }: FieldRow) => /^(?:string|uuid)/.test(type) && !unit && !secret;

/** The text fields of the contract that tell about nobody: what the service itself writes, ids, and words that the contract lists. */
export const OPEN_FIELDS: ReadonlySet<string> = new Set([
  'CNGN',
  'NGN',
  'USDC',
  'USDT',
  'cngnAmount',
  'pair',
  'pool',
  'token',
  'ticker',
  'tokenBuy',
  'tokenSymbol',
  'buyToken',
  'sellToken',
  'targetAsset',
  'finalAsset',
  'defaultAsset',
  'preferredAsset',
  'baseCurrency',
  'quoteCurrency',
  'accountId',
  'addedBy',
  'bankAccountId',
  'depositId',
  'eventId',
  'fintechId',
  'fintechUserId',
  'id',
  'lockId',
  'operationId',
  'orderId',
  'payoutId',
  'projectId',
  'quoteId',
  'requestId',
  'signingRequestUuid',
  'startAfter',
  'tradeId',
  'transactionId',
  'transferId',
  'userId',
  'uuid',
  'vaId',
  'vaultId',
  'vaultReturnId',
  'webhookId',
  'withdrawalId',
  'accountType',
  'action',
  'allowanceCheck',
  'balanceCheck',
  'code',
  'direction',
  'endpoint',
  'event',
  'operation',
  'stage',
  'status',
  'step',
  'triggerType',
  'type',
  'version',
  'saltVersion',
  'vmStatus',
  'usage',
  'use',
  'bankCode',
  'bankName',
  'bank_code',
  'bank_name',
  'recipientBankCode',
  'provider',
  'payoutProvider',
  'preferredProvider',
  'blockNumber',
  'blockchain',
  'effectiveGasPrice',
  'gasUsed',
  'network',
  'networks',
  'networkDisplayName',
  'fromNetwork',
  'toNetwork',
  'sourceNetwork',
  'databaseURL',
  'publicKey',
  'iv',
  'data',
  'body',
  'mpcVaultApiKey',
  'mpcClientSignerPrivateKey',
  'date',
  'startDate',
  'endDate',
  'propagationTime',
  'estimatedCompletionTime',
  'estimatedConfirmationTime',
  'estimatedProcessingTime',
  'errorMessage',
  'failureReason',
  'message',
  'userMessage',
  'means',
  'problem',
  'rejectionReasons',
  'name',
  'names',
  'value',
  'events',
  'tradingPairs',
  'networks',
]);

export const leafOf = ({ name }: Pick<FieldRow, 'name'>) => name.slice(name.lastIndexOf('.') + 1).replace(/\[\]$/, '');

/** Something that nobody wrote by chance, with what each encoding and a shell change. */
export const canaryOf = (number: number) => `Zoë O'Canary${number} "Ọla" & Sons/Co+`;
export const CANARY = /o.{0,12}canary\d/i;

const inJson = (text: string) => JSON.stringify(text).slice(1, -1);
const inShell = (text: string) => text.replaceAll("'", `'\\''`);
const inQuery = (text: string) => new URLSearchParams({ '': text }).toString().slice(1);

export const ENCODINGS: Readonly<Record<string, (text: string) => string>> = {
  'as it is': (text) => text,
  'in capitals': (text) => text.toUpperCase(),
  'in JSON': inJson,
  'in JSON in JSON': (text) => inJson(inJson(text)),
  'in JSON of ASCII alone': (text) =>
    inJson(text).replace(/[^\x20-\x7e]/g, (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`),
  'in a path': encodeURIComponent,
  'in a query': inQuery,
  'in base64': (text) => Buffer.from(text).toString('base64'),
  'in base64url': (text) => Buffer.from(text).toString('base64url'),
  'in hexadecimal digits': (text) => Buffer.from(text).toString('hex'),
  'in the quotes of a shell': inShell,
  'in JSON in the quotes of a shell': (text) => inShell(inJson(text)),
  'in a query in the quotes of a shell': (text) => inShell(inQuery(text)),
};

/** Returns a value of a schema with a canary in each text that tells about someone, and those that were put in. */
export function planted(schema: z.ZodMiniType): { readonly value: unknown; readonly canaries: readonly string[] } {
  const canaries: string[] = [];
  const next = () => {
    const canary = canaryOf(canaries.length + 1);
    canaries.push(canary);
    return canary;
  };
  const grown = (given: z.ZodMiniType, isListed = false): unknown => {
    const { schema: inner, meta } = unwrap(given);
    const element = elementOf(inner);
    if (element) return [grown(element, meta?.personal !== undefined)];
    const shape = shapeOf(inner);
    if (shape) return Object.fromEntries(Object.entries(shape).map(([name, field]) => [name, grown(field)]));
    if (meta?.secret) return '[redacted]';
    return isListed || meta?.personal ? next() : meta?.type === 'boolean' ? true : 'pending';
  };
  return { value: grown(schema), canaries };
}

/** The text fields of a message, without the lists whose items have a row of their own. */
export function textsOf({ schema }: Message): readonly FieldRow[] {
  return rowsOf(schema).filter(isText);
}
