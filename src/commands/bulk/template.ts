import { command, type Group } from '../../terminal/command.ts';
import { argument, word } from '../../terminal/parse/parameters.ts';
import { commandAs, rowCommandOf } from './row-command.ts';

export const templateCommand = (catalogue: readonly Group[]) =>
  command({
    words: ['bulk', 'template'],
    summary: 'Print a file to fill in, with what each column means',
    examples: ['fiatrail bulk template "offramp create" > suppliers.csv', 'fiatrail bulk template "users onboard"'],
    endpoints: [],
    isLocal: true,
    parameters: {
      command: argument('command', 'command that runs for each row, such as "offramp create"', word, 'Which command?'),
    },
    run: async (_account, _terminal, { command: typed }) => {
      const { templateOf } = await import('../../bulk/template.ts');
      const text = templateOf(rowCommandOf(await commandAs(catalogue, typed)));
      return { result: { data: text, always: 'text' } };
    },
  });
