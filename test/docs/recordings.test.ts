import { readdirSync, readFileSync } from 'node:fs';
import { join, normalize } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { draw } from '../../scripts/recordings/drawing.ts';
import { record } from '../../scripts/recordings/record.ts';
import { SCENES, type Scene } from '../../scripts/recordings/scenes.ts';
import { fileOf } from '../../scripts/recordings.ts';
import { sandboxSecrets } from '../secrets/sandbox-secrets.ts';
import { leaks, type Planted } from '../secrets/search.ts';
import { ROOT, requireBuilt } from '../support/built.ts';
import { SECRETS } from '../transcripts/session.ts';

beforeAll(requireBuilt);

/** Tries again with more patience, for a machine that does much else. */
const QUIET_SECONDS = [0.1, 1] as const;
const IS_SOAK = process.env['FIATRAIL_SOAK_RECORDINGS'] === '1';

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"' };

/** The texts between tags. Throws if the file is not well-formed XML, as far as our drawings use XML. */
function textsOf(svg: string): string[] {
  const tag = /<(?:\/(\w+)|(\w+)((?: [\w:-]+="[^"<]*")*)(\/?))>/y;
  const open: string[] = [];
  const texts: string[] = [];
  for (let at = 0; at < svg.length; ) {
    tag.lastIndex = at;
    const [whole, closes, opens, attributes = '', isEmpty] = tag.exec(svg) ?? [];
    if (whole === undefined || /&(?!(amp|lt|gt|quot);)/.test(attributes)) throw new Error(`no tag at ${at}`);
    if (closes !== undefined && open.pop() !== closes) throw new Error(`</${closes}> at ${at} closes something else`);
    if (opens !== undefined && isEmpty !== '/') open.push(opens);
    at += whole.length;
    const next = svg.indexOf('<', at);
    const text = svg.slice(at, next === -1 ? undefined : next);
    if (/&(?!(amp|lt|gt|quot);)/.test(text) || (open.length === 0 && text.trim() !== ''))
      throw new Error(`"${text}" at ${at} is no text`);
    if (open.at(-1) === 'text') texts.push(text.replace(/&(\w+);/g, (_, name: string) => ENTITIES[name] ?? ''));
    at += text.length;
  }
  if (open.length > 0) throw new Error(`<${open.at(-1)}> is not closed`);
  return texts;
}

/**
 * What a drawing says, without what depends on random numbers: ids, addresses, account numbers and names. They are the same in each
 * recording of one program, but a program that draws one more number elsewhere has others, and says nothing else.
 */
const saysOf = (svg: string) =>
  textsOf(svg).map((text) =>
    text
      .replace(/\b(?=\w*\d)[\w-]{12,}\b…?|\b\d{8,10}\b/g, 'ID')
      .replace(/\b[A-Z]{3,}(?: [A-Z]{3,})+\b/g, 'NAME')
      .replace(/\d\d:\d\d:\d\d|\(\d+ s ago\)|\(now\)/g, 'TIME')
      .replace(/─+/g, '─'),
  );

/** The drawing of a scene today, and the keys of its sandbox. */
async function drawToday(scene: Scene, quietSeconds: number): Promise<{ svg: string; keys: Planted[] }> {
  const keys: Planted[] = [];
  const recording = await record(scene, quietSeconds, (home) => {
    for (const name of readdirSync(home, { recursive: true, encoding: 'utf8' }))
      if (name.endsWith('sandbox.db')) keys.push(...sandboxSecrets(join(home, name)));
  });
  return { svg: draw(recording), keys };
}

describe.concurrent.each(SCENES)('the recording $name', (scene) => {
  const read = () => readFileSync(join(ROOT, fileOf(scene)), 'utf8');

  test('shows what the program shows today, and no secret; npm run recordings draws it anew', async ({ expect }) => {
    const committed = read();
    let today = await drawToday(scene, QUIET_SECONDS[0]);
    if (saysOf(today.svg).join() !== saysOf(committed).join()) today = await drawToday(scene, QUIET_SECONDS[1]);
    expect(saysOf(committed)).toEqual(saysOf(today.svg));
    expect(today.keys.length).toBeGreaterThan(3);
    const places = [committed, today.svg].map((svg) => ({ name: fileOf(scene), bytes: Buffer.from(svg) }));
    expect(leaks(places, today.keys)).toEqual([]);
  });

  // Two recordings of each scene take too long for every run.
  if (IS_SOAK)
    test('is the same file each time', async ({ expect }) => {
      expect((await drawToday(scene, QUIET_SECONDS[1])).svg).toBe((await drawToday(scene, QUIET_SECONDS[1])).svg);
    });

  test('has no BVN and nothing that looks like a key', ({ expect }) => {
    const text = textsOf(read()).join('\n');
    const bvns = [/(?<!\w)\d{11}(?!\w)/, ...scene.users.map((bvn) => new RegExp(bvn))];
    expect([...SECRETS, ...bvns].filter((pattern) => pattern.test(text))).toEqual([]);
  });

  test('is small, describes itself, and needs nothing else', ({ expect }) => {
    const svg = read();
    expect(svg.length).toBeLessThan(150_000);
    expect(svg).toMatch(
      /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" [^>]* role="img" aria-labelledby="title about"/,
    );
    expect(svg).toMatch(/<title id="title">.+<\/title>\n<desc id="about">.{100,}<\/desc>/);
    expect(svg).toMatch(/@media \(prefers-reduced-motion:reduce\)/);
    expect(svg.match(/<script|<image|<foreignObject|@import|url\((?!#)|\bon\w+=|href="[^#]/gi)).toBe(null);
    expect(svg.match(/:\/\//g)).toHaveLength(1);
  });

  test('takes 10 to 30 seconds', ({ expect }) => {
    const [, seconds] = /animation:play ([\d.]+)s step-end infinite/.exec(read()) ?? [];
    expect(Number(seconds)).toBeGreaterThanOrEqual(10);
    expect(Number(seconds)).toBeLessThanOrEqual(30);
  });

  test('begins with the command, and breaks no word at the edge', ({ expect }) => {
    const svg = read();
    const [first = '', ...others] = framesOf(svg);
    expect(first).toBe(`$ fiatrail ${scene.words.join(' ')}`);
    expect(others.length).toBeGreaterThan(3);
    const rows = textsOf(svg).filter((text) => /[\w-]$/.test(text) && text.length >= 100);
    expect(rows).toEqual([]);
  });

  test('is on a page, with a text in its place', ({ expect }) => {
    expect(shownPictures()).toContain(fileOf(scene));
  });
});

/** The text of each frame of a drawing, its rows joined. */
function framesOf(svg: string): string[] {
  const rows = new Map([...svg.matchAll(/<g id="(r\d+)">(.*)<\/g>/g)].map(([, id = '', row = '']) => [id, row]));
  const frames = [...svg.matchAll(/<g transform="translate\(\d+\)">(.*)<\/g>/g)].map(([, frame = '']) => frame);
  return frames.map((frame) =>
    [...frame.matchAll(/href="#(r\d+)"/g)]
      .map(([, id = '']) => textsOf(`<g>${rows.get(id) ?? ''}</g>`).join(' '))
      .join('\n'),
  );
}

/** The pictures that the README and the pages for users show, each with a text of at least 40 characters in its place. */
function shownPictures(): string[] {
  const pages = readdirSync(join(ROOT, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`);
  return ['README.md', ...pages].flatMap((page) =>
    [...readFileSync(join(ROOT, page), 'utf8').matchAll(/!\[[^\]]{40,}\]\(([^)]+)\)/g)].map(([, path = '']) =>
      normalize(join(page, '..', path)),
    ),
  );
}

test('every file in docs/recordings is drawn from a scene, or is a picture that a page shows', () => {
  const names = readdirSync(join(ROOT, 'docs', 'recordings')).map((name) => `docs/recordings/${name}`);
  const [pictures = [], drawn = []] = [true, false].map((is) => names.filter((name) => name.endsWith('.png') === is));
  expect(drawn.toSorted()).toEqual(SCENES.map(fileOf).toSorted());
  expect(pictures.filter((name) => !shownPictures().includes(name))).toEqual([]);
});

test.each([
  '<a>',
  '<a></b>',
  '<a b=c/>',
  '<a b="<"/>',
  '<a b="&"/>',
  '<a>&</a>',
  '<a>&copy;</a>',
  '<a/>text',
  'text<a/>',
])('%s is not well-formed', (text) => {
  expect(() => textsOf(text)).toThrow();
});
