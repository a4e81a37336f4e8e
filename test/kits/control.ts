import type { RunningSandbox } from '../../src/kits/sandbox.ts';

/** Uses a control of a sandbox by its name. In the package, each has a type of its own. */
export function control({ control: controls }: RunningSandbox, name: string, input: object = {}): Promise<unknown> {
  const act = controls[name];
  if (!act) throw new Error(`there is no control ${name}`);
  return act({ ...input });
}
