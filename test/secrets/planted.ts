import { createHash } from 'node:crypto';
import type { Planted } from './search.ts';

/** Text that occurs nowhere else and is the same on every run. */
const noise = (name: string, encoding: 'hex' | 'base64') =>
  createHash('sha512').update(`planted ${name}`).digest(encoding);

/** A key with characters that JSON, URLs and base64 encode differently. */
const key = (name: string) => `${name}+/="%${noise(name, 'hex').slice(0, 24)}`;

const pem = (name: string) =>
  `-----BEGIN OPENSSH PRIVATE KEY-----\n${noise(name, 'base64').slice(0, 70)}\n${noise(`${name} 2`, 'base64').slice(0, 70)}\n-----END OPENSSH PRIVATE KEY-----\n`;

/** The planted secrets, one of each kind. `kinds` are those in docs/stored-where.md. */
export const PLANTED = {
  environmentKey: { what: 'the key of FIATRAIL_API_KEY', text: key('environment') },
  fileKey: { what: 'the key of the store file', text: key('file'), kinds: ['API key'] },
  commandKey: { what: 'the key of a key command', text: key('command') },
  keyringKey: { what: 'the key of the store keyring', text: key('keyring') },
  newKey: { what: 'the new key of a rotation', text: key('rotated'), kinds: ['API key', 'new API key'] },
  pushedKey: { what: 'a new key that no store keeps', text: key('pushed'), kinds: ['new API key'] },
  sandboxKey: { what: 'the key that keys sandbox add makes', text: `sandbox_${key('made')}`, kinds: ['API key'] },
  privateKey: {
    what: 'a private key that is given',
    text: noise('private', 'hex').slice(0, 64),
    kinds: ['private key'],
  },
  aesKey: { what: 'the AES key of the account', text: noise('aes', 'hex').slice(0, 64) },
  webhookSecret: { what: 'a webhook secret', text: key('webhook') },
  variableSecret: { what: 'the secret of FIATRAIL_WEBHOOK_SECRET', text: key('variable') },
  bvn: { what: 'a BVN', text: '22987654321' },
  mistypedBvn: { what: 'a BVN with a letter', text: '2298765439O' },
  shortBvn: { what: 'a BVN of ten digits', text: '2298765438' },
  typedKey: { what: 'a key of a sandbox, typed as a word', text: `sandbox_${noise('typed', 'hex').slice(0, 24)}` },
  vaultKey: { what: 'the API key of an MPC vault', text: key('vault') },
  vaultPrivateKey: { what: 'the private key of an MPC vault', text: pem('vault') },
  urlPassword: { what: 'the password of a base URL', text: `pw${noise('url', 'hex').slice(0, 20)}` },
  proxyPassword: { what: 'the password of a proxy', text: `pw${noise('proxy', 'hex').slice(0, 20)}` },
} as const satisfies Readonly<Record<string, Planted>>;

export type PlantedName = keyof typeof PLANTED;
