import * as z from 'zod/mini';
import { addressProblem } from '../crypto/address.ts';
import { fieldMeta, type Source } from './fields.ts';
import { addressProblemOn, networkOf } from './networks.ts';

/** An EVM address. Mixed-case addresses must pass the EIP-55 checksum. */
export function evmAddress(source: Source) {
  const schema = z.string().check(
    z.check((payload) => {
      const problem = addressProblem('evm', payload.value);
      if (problem)
        payload.issues.push({
          code: 'custom',
          input: payload.value,
          params: { expected: `a valid EVM address: ${problem}` },
        });
    }),
  );
  fieldMeta.add(schema, { type: 'string', source, rule: '0x followed by 40 hexadecimal digits', personal: 'address' });
  return schema;
}

/** An address field and the field that names its network, which defaults to Base. */
type AddressOnNetwork = readonly [address: string, network: string];

/** Checks that each address is valid on its network. Addresses on networks the contract does not know are left to the service. */
export function addressesFit(...pairs: readonly AddressOnNetwork[]) {
  return z.check<Record<string, unknown>>((payload) => {
    for (const [field, networkField] of pairs) {
      const { [field]: address, [networkField]: key = 'base' } = payload.value;
      const network = networkOf(String(key));
      const problem = network && typeof address === 'string' ? addressProblemOn(network, address) : undefined;
      if (network && problem) {
        const expected = `a valid ${network.name} address: ${problem}`;
        payload.issues.push({ code: 'custom', input: address, path: [field], params: { expected } });
      }
    }
  });
}
