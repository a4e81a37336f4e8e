/** What may be an id, a hash, an address or an account number in a text. Whether something has it, only a search says. */
export const LINKABLE =
  /\b(?:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|[A-Za-z]{2,12}[_-][\w-]{8,64}|0x[0-9a-f]{40,64}|[0-9a-f]{32}|[0-9a-f]{64}|\d{10})\b/gi;
