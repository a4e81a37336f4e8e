/** A date is no number of an account, however many digits it has. */
const DIGITS = /(?<![\w.:])(?!\d{4}-\d\d-\d\d)\d(?:[ -]?\d){9,10}(?![\w:]|\.\d)/g;

/** How many of the last digits of an account number are shown, as banks do. */
const SHOWN_DIGITS = 4;

const LONGEST_ACCOUNT = 10;

/** An account number without all but its last digits. One that the service has masked stays as it is. */
export function maskedAccount(number: string): string {
  if (number.includes('*')) return number;
  const hidden = Math.max(0, number.length - SHOWN_DIGITS);
  return '*'.repeat(hidden) + number.slice(hidden);
}

/**
 * Masks the account numbers in a text that someone wrote. Eleven digits may be a BVN, of which nothing is shown. References, hashes and ids are
 * not such texts: they are what a receipt is checked by.
 */
export const withoutNumbers = (text: string): string =>
  text.replace(DIGITS, (found) => {
    const digits = found.replace(/\D/g, '');
    return digits.length > LONGEST_ACCOUNT ? '*'.repeat(digits.length) : maskedAccount(digits);
  });
