import { CliError } from '../base/errors.ts';
import { addressProblem } from '../crypto/address.ts';
import { printable } from '../money/amount.ts';

/** An EVM address as a person gives it, its checksum checked where it has one. */
export const evmAddress = (text: string): string => {
  const problem = addressProblem('evm', text);
  if (problem === undefined) return text;
  const isShape = problem.startsWith('0x');
  throw new CliError('usage', `"${printable(text)}" is no EVM address${isShape ? '' : `: ${problem}`}`, {
    hint: isShape ? `an EVM address is ${problem}` : 'copy the address again, or write it in small letters',
  });
};
