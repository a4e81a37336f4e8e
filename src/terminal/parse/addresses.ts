import { CliError } from '../../base/errors.ts';
import { addressProblem } from '../../crypto/address.ts';
import { printable } from '../../money/amount.ts';

/** Validates an EVM address, including its checksum if it has one. Throws CliError usage. */
export const evmAddress = (text: string): string => {
  const problem = addressProblem('evm', text);
  if (problem === undefined) return text;
  const isFormat = problem.startsWith('0x');
  throw new CliError('usage', `invalid EVM address "${printable(text)}"${isFormat ? '' : `: ${problem}`}`, {
    hint: isFormat ? `an EVM address is ${problem}` : 'copy the address again, or write it in lower case',
  });
};
