/**
 * The banks whose account numbers end with a check digit: the code of the list of banks, and the one that the digit is computed with.
 * Source: public (CBN, NUBAN standard; the codes of NIBSS). Other institutions number their accounts as they like.
 */
const BANKS: Readonly<Record<string, string>> = {
  '000001': '232',
  '000002': '082',
  '000003': '214',
  '000004': '033',
  '000005': '063',
  '000006': '301',
  '000007': '070',
  '000008': '076',
  '000009': '023',
  '000010': '050',
  '000011': '215',
  '000012': '221',
  '000013': '058',
  '000014': '044',
  '000015': '057',
  '000016': '011',
  '000017': '035',
  '000018': '032',
  '000020': '030',
  '000021': '068',
  '000022': '100',
};

const WEIGHTS = [3, 7, 3, 3, 7, 3, 3, 7, 3, 3, 7, 3];

const issuerOf = (code: string): string | undefined =>
  BANKS[code] ?? (Object.values(BANKS).includes(code) ? code : undefined);

function isNumberOf(issuer: string, accountNumber: string): boolean {
  const digits = `${issuer}${accountNumber.slice(0, 9)}`;
  let sum = 0;
  for (const [at, weight] of WEIGHTS.entries()) sum += weight * Number(digits[at]);
  return (10 - (sum % 10)) % 10 === Number(accountNumber[9]);
}

/** Whether a bank may have an account with this number; true if that is not known. */
export function mayBeNuban(bankCode: string, accountNumber: string): boolean {
  const issuer = issuerOf(bankCode);
  return issuer === undefined || accountNumber.length !== 10 || isNumberOf(issuer, accountNumber);
}

/** Returns the codes, of those of a list, of the banks whose check digit an account number has. */
export const likelyBanks = (accountNumber: string, codes: readonly string[]): readonly string[] =>
  codes.filter((code) => {
    const issuer = issuerOf(code);
    return issuer !== undefined && isNumberOf(issuer, accountNumber);
  });
