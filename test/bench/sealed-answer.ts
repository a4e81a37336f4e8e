/**
 * Reads one answer as a command does, and ends. `open PAYLOAD KEY`: the answer is sealed. `load BODY`: it is plain, and
 * libsodium is loaded beside it.
 */
import { decodeAnswer } from '../../src/client/codec.ts';
import { sealedExchange } from '../../src/client/sealing.ts';
import { getFees } from '../../src/contract/fees.ts';
import { Secret } from '../../src/secret.ts';

const [what, text = '', key = ''] = process.argv.slice(2);
if (what === 'load') await (await import('libsodium-wrappers')).default.ready;
const body = what === 'open' ? JSON.stringify({ payload: text }) : text;
const exchange = sealedExchange(async () => ({ status: 200, headers: {}, body }), {
  platformKeyHex: undefined,
  privateKeys: async () => [new Secret(key)],
});
const request = { method: 'GET', url: 'https://service.invalid/v1/getfees', headers: {}, body: undefined };
const answer = decodeAnswer(getFees, await exchange(request, new AbortController().signal));
if (answer.kind !== 'success') throw new Error(`the answer is ${answer.kind}`);
