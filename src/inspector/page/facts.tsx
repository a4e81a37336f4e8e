import { Prose } from './text.tsx';

/** What is known of something, without what is not. */
export function Facts({ of }: { readonly of: readonly (readonly [title: string, value: preact.ComponentChildren])[] }) {
  return (
    <dl>
      {of
        .filter(([, value]) => value !== null && value !== undefined && value !== '')
        .map(([title, value]) => (
          <div>
            <dt>{title}</dt>
            <dd>{typeof value === 'string' ? <Prose text={value} /> : value}</dd>
          </div>
        ))}
    </dl>
  );
}
