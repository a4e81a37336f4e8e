import type * as z from 'zod/mini';
import type { OutputStream, World } from '../base/world.ts';
import { createMask, type Mask, type MaskedForm } from '../contract/mask/index.ts';
import { parseExactJson } from '../money/decimal.ts';
import type { Below, Result } from './result.ts';

/** Makes the mask of a command, which knows who runs it, where, and what was typed for fields of the contract. */
export function maskFor({ host: { user, name } }: Pick<World, 'host'>, typed: Readonly<Record<string, unknown>>): Mask {
  const mask = createMask();
  mask.learn({ runBy: user, host: name });
  mask.typed(typed);
  return mask;
}

/** Returns a result whose values are masked before any format makes a text of them. */
export function maskedResult(result: Result, mask: Mask): Result {
  const { data, schema, lists, more, below, raw, isForeign } = result;
  const form: MaskedForm = { schema, ...(isForeign && { isForeign }) };
  const { exact: _, ...rest } = result;
  return {
    ...rest,
    data: mask.value(data, form),
    ...(more && { more: maskedPages(more, lists, form, mask) }),
    ...(below && { below: [below].flat().map((each) => ({ ...each, rows: mask.value(each.rows) as Below['rows'] })) }),
    ...(raw !== undefined && { raw: maskedRaw(raw, schema, mask) }),
  };
}

/** Masks the rows of further pages, which are in a list of the document. */
async function* maskedPages(
  more: NonNullable<Result['more']>,
  lists: string | undefined,
  form: MaskedForm,
  mask: Mask,
): AsyncGenerator<readonly unknown[]> {
  for await (const rows of more) {
    const around = mask.value(lists === undefined ? rows : { [lists]: rows }, form);
    yield (lists === undefined ? around : (around as Record<string, unknown>)[lists]) as readonly unknown[];
  }
}

/** What the service sent as data is its own text, so its values are read, masked and written again. */
function maskedRaw(raw: string, schema: z.ZodMiniType | undefined, mask: Mask): string {
  try {
    return JSON.stringify(mask.value(parseExactJson(raw), { schema, isForeign: true }));
  } catch {
    return mask.text(raw);
  }
}

/** Masks every text that is written. */
export function maskedStream(stream: OutputStream, mask: Mask): OutputStream {
  return {
    get isTerminal() {
      return stream.isTerminal;
    },
    get columns() {
      return stream.columns;
    },
    write: (text) => stream.write(typeof text === 'string' ? mask.text(text) : text),
    masking: { unmasked: stream, text: mask.text },
  };
}
