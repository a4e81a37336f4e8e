import { type Rules, rulesSchema } from '../../account/rules.ts';
import { CliError } from '../../base/errors.ts';

/** Reads the rules that hosts share in a journal. Throws CliError usage if the text is not what this version writes. */
export function parseSharedRules(text: string): Rules {
  const { success, data, error } = rulesSchema().safeParse(json(text));
  if (success) return data;
  const field = error.issues[0]?.path.join('.') || 'an unknown field';
  throw new CliError('usage', `the rules in the shared journal are invalid at ${field}; nothing was sent`, {
    code: 'CONFIG_BROKEN',
    hint: 'update fiatrail on this machine if another one has a newer version',
  });
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
