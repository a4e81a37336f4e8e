import { CliError } from './errors.ts';

/** The error of a server that cannot listen. Returns any other error as it is. */
export function listenProblem(error: unknown, host: string, port: number, flag = '--port'): unknown {
  const { code } = error as { code?: unknown };
  if (code === 'EADDRNOTAVAIL')
    return new CliError('usage', `this machine does not have the address ${host}`, {
      hint: 'use an address of this machine with --host, or 0.0.0.0 for all of them',
    });
  if (code !== 'EADDRINUSE' && code !== 'EACCES') return error;
  const why = code === 'EACCES' ? 'requires more privileges, or is reserved by the system' : 'is already in use';
  return new CliError('usage', `port ${port} ${why}`, {
    hint: `choose another port with ${flag}, or use ${flag} 0 for any free port`,
  });
}
