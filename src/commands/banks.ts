import { listBanks } from '../contract/endpoints/banks.ts';
import { outcomeOf } from '../engine/outcome.ts';
import { banksIn, matchingBanks } from '../engine/previews/banks.ts';
import { command } from '../terminal/command.ts';
import { option, plainText } from '../terminal/parse/parameters.ts';

const COLUMNS = [
  { field: 'bankCode', title: 'Code' },
  { field: 'bankName', title: 'Bank' },
] as const;

const listCommand = command({
  words: ['banks'],
  summary: 'List banks and their NIBSS codes',
  examples: ['fiatrail banks --search access', 'fiatrail banks -o csv --fields bankCode,bankName'],
  endpoints: [listBanks.id],
  prints: { response: listBanks },
  parameters: {
    search: option(
      '--search <text>',
      'only rows whose name, initials or code contains this, such as gtb for Guaranty Trust Bank',
      plainText,
    ),
  },
  run: async (account, _terminal, { search }) => {
    const reply = await account.call(listBanks, {});
    if (search === undefined) return outcomeOf(account, listBanks, reply, { columns: COLUMNS });
    const known = matchingBanks(banksIn(reply.data), search);
    const banks = reply.data.banks.filter(({ bankCode }) => known.some(({ code }) => code === bankCode));
    // The service's count is that of all banks.
    const data = { ...reply.data, banks, totalCount: banks.length };
    return outcomeOf(account, listBanks, { ...reply, data }, { columns: COLUMNS });
  },
});

export const commands = [listCommand];
