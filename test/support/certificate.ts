import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AtEnd, temporaryFolder } from './built.ts';

export interface Certificate {
  readonly key: string;
  readonly cert: string;
  /** The path of the certificate file. */
  readonly path: string;
}

/** Creates a self-signed certificate for `localhost` and `service.test` with openssl, which must be installed. */
export function selfSigned(atEnd: AtEnd): Certificate {
  const folder = temporaryFolder(atEnd);
  const [keyPath, path] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const argv = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,DNS:service.test'];
  execFileSync('openssl', [...argv, ...names, '-keyout', keyPath, '-out', path], { stdio: 'pipe' });
  return { key: readFileSync(keyPath, 'utf8'), cert: readFileSync(path, 'utf8'), path };
}
