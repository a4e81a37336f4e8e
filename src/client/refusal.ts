import { type Category, CliError } from '../base/errors.ts';
import { COMMON_ERRORS, type Endpoint } from '../contract/endpoint.ts';
import { FAULTS, faultName } from '../contract/faults.ts';
import type { Answer } from './codec.ts';

type Refused = Extract<Answer, { kind: 'refused' }>;

const AUTH_HINT = 'check the API key, and check that this address is on the allowlist with: fiatrail ip check';

/** Returns the error of a request that the service rejected, with what to do next. */
export function refusal(endpoint: Endpoint, answer: Refused): CliError {
  const { httpStatus, responseCode, message, errorName, isAddressBlocked } = answer;
  const isAuth = httpStatus === 401 || httpStatus === 403 || responseCode === '03' || isAddressBlocked === true;
  const category: Category = isAuth ? 'auth' : 'refused';
  const declared = [...endpoint.errors, ...COMMON_ERRORS].filter(
    ({ fault }) => FAULTS[fault].code === responseCode && FAULTS[fault].http === httpStatus,
  );
  const general = Object.values(FAULTS).find(({ code, http }) => code === responseCode && http === httpStatus);
  const named = declared.filter(({ fault }) => faultName(fault) === errorName);
  const specific = (named.length > 0 ? named : declared).map(({ fault, remedy }) => remedy ?? FAULTS[fault].remedy);
  const remedies = specific.length > 0 ? [...new Set(specific)] : general ? [general.remedy] : [];
  return new CliError(category, `the service rejected the request: ${message}`, {
    code: refusalCode(answer, isAuth),
    hint: remedies.join('; or ') || (isAuth ? AUTH_HINT : undefined),
    httpStatus,
    responseCode,
  });
}

/**
 * Returns the code of a refusal: the name that the answer gives in a field, or else the general name of its response code. The
 * conditions that an endpoint declares are no help: several share a response code, and the same one has another at the next endpoint.
 */
function refusalCode({ httpStatus, responseCode, errorName, isAddressBlocked }: Refused, isAuth: boolean): string {
  if (isAddressBlocked || (httpStatus === 403 && responseCode === '03')) return 'IP_BLOCKED';
  if (isAuth) return 'AUTHENTICATION_FAILED';
  return errorName ?? GENERAL_CODES[responseCode] ?? 'REFUSED';
}

/** The service also rejects an input with 05, such as a trade against an own order. Source: interface. */
const GENERAL_CODES: Readonly<Record<string, string>> = {
  '01': 'VALIDATION_ERROR',
  '02': 'NOT_FOUND',
  '05': 'VALIDATION_ERROR',
};
