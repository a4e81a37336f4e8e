const CIRCLE = 'M14.5 8a6.5 6.5 0 1 1-13 0 6.5 6.5 0 0 1 13 0z';

/** What is drawn in a square of 16: a circle that is ticked, a clock, an octagon that is crossed out, a triangle that warns, a dot. */
const DRAWN = {
  done: `${CIRCLE}M4.9 8.2 7.1 10.5 11.2 5.7`,
  open: `${CIRCLE}M8 4.3V8l2.6 1.8`,
  bad: 'M5.3 1.5h5.4l3.8 3.8v5.4l-3.8 3.8H5.3l-3.8-3.8V5.3zM5.6 5.6l4.8 4.8M10.4 5.6l-4.8 4.8',
  you: 'M8 1.8 14.9 14H1.1zM8 6.2v3.4M8 11.8v.1',
  none: 'M8 7.9v.2',
} as const;

/** The looks that are drawn. */
export type Drawn = keyof typeof DRAWN;

export const isDrawn = (look: string): look is Drawn => Object.hasOwn(DRAWN, look);

/** The sign of a look: its shape is enough without its colour, and the word beside it without both. */
export function Sign({ of }: { readonly of: Drawn }) {
  return (
    <svg class={`sign ${of}`} viewBox="0 0 16 16" aria-hidden="true">
      <path d={DRAWN[of]} />
    </svg>
  );
}
