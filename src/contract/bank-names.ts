/** Writes a bank's name as one word that needs no quotes in a shell: `guaranty-trust-bank`. */
export function wordOfBank(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
}
