import type { Zone } from '../../base/zone.ts';
import type { ServedSandbox, ServeOptions } from '../../sandbox/serve.ts';
import { openRequestLog } from '../requests.ts';
import type { InspectorSource } from '../source.ts';
import { createStepLog } from './lives.ts';
import { sandboxSource } from './source.ts';

/** What sees everything that a served sandbox does, from its start. */
interface Watch extends Required<Pick<ServeOptions, 'observe' | 'onStep'>> {
  /** What it saw; known once the sandbox is served. */
  source(inside: ServedSandbox['inside'], zone: Zone): InspectorSource;
  close(): void;
}

/** `tell` is told once why requests cannot be recorded. */
export async function watchSandbox(tell: (text: string) => void): Promise<Watch> {
  let nameOf = (_: string): string | undefined => undefined;
  const names = new Map<string, string>();
  const whoIs = (apiKey: string | undefined) => {
    if (apiKey === undefined) return 'no key';
    const known = names.get(apiKey) ?? nameOf(apiKey);
    if (known !== undefined) names.set(apiKey, known);
    return known ?? 'unknown key';
  };
  let nowMs = (): number | undefined => undefined;
  const requests = await openRequestLog(whoIs, { tell, sandboxNowMs: () => nowMs() });
  const steps = createStepLog();
  return {
    observe: requests.observe,
    onStep: steps.onStep,
    source: ({ sandbox, service }, zone) => {
      nowMs = () => service.nowMs();
      const sql = 'SELECT name FROM api_key JOIN fintech ON fintech.id = api_key.fintech WHERE key = ?';
      nameOf = (apiKey) => service.store.get<{ name: string }>(sql, apiKey)?.name;
      return sandboxSource({ sandbox, service }, { requests, steps, zone });
    },
    close: requests.close,
  };
}
