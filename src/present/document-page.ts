import { plainCell } from './text.ts';

/** A value on the page: a text, a text to compare letter by letter, or a time. */
export interface PageValue {
  readonly title: string;
  readonly text: string;
  readonly isCode?: boolean;
  /** For a time: ISO 8601 in UTC. */
  readonly at?: string;
}

/** Rows on the page. A column of amounts is aligned to the right; a time and a word stay on one line. */
export interface PageTable {
  readonly title: string;
  readonly columns: readonly { readonly title: string; readonly as?: 'amount' | 'code' | 'word' | 'time' }[];
  readonly rows: readonly (readonly string[])[];
}

/** What a document about a sandbox must not be without. */
export const TEST_NOTICE = 'Sandbox: this is a test, and no real money moved';

/** A document that people are sent: one page, whose every text may come from outside. */
export interface DocumentPage {
  readonly title: string;
  readonly heading: string;
  /** Who it is from. */
  readonly from: string;
  /** How it stands: color and word say it, so that neither is needed alone. */
  readonly tone: 'good' | 'open' | 'bad';
  readonly state: string;
  readonly stateText: string;
  /** What must not be missed, such as that nothing of it is real. */
  readonly notices: readonly string[];
  /** The sum, what it was in other units, and to or from whom. */
  readonly sum: string;
  readonly sumAlso: readonly string[];
  readonly party: string | undefined;
  readonly sections: readonly { readonly title: string; readonly values: readonly PageValue[] }[];
  readonly tables?: readonly PageTable[];
  readonly steps?: { readonly title: string; readonly items: readonly string[] };
  readonly footer: readonly string[];
}

/** Text that is HTML. Only `html` makes it, and escapes everything else. */
interface Html {
  readonly html: string;
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Makes a text from outside a text of a page: no markup, and nothing that is not seen or that turns around what is. */
const escaped = (text: string): string => plainCell(text).replace(/[&<>"']/g, (each) => ESCAPES[each] ?? '');

type Part = string | Html | readonly Html[] | undefined;

const partText = (part: Part): string => {
  if (part === undefined) return '';
  if (typeof part === 'string') return escaped(part);
  return 'html' in part ? part.html : part.map((each) => each.html).join('');
};

/** Makes HTML of a template. Whatever is put into it is escaped, unless it was made so itself. */
const html = (texts: TemplateStringsArray, ...parts: readonly Part[]): Html => ({
  html: texts.map((text, index) => text + partText(parts[index])).join(''),
});

/** Draws a document as one page of HTML that needs nothing else: no script, no picture, no request. It prints on A4. */
export function documentPage(page: DocumentPage): string {
  const {
    title,
    heading,
    from,
    tone,
    state,
    stateText,
    notices,
    sum,
    sumAlso,
    party,
    sections,
    tables = [],
    steps,
    footer,
  } = page;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>${STYLE}</style>
</head>
<body>
<main class="${tables.length > 0 ? `${tone} wide` : tone}">
<header>
<p class="from">${from}</p>
<h1>${heading}</h1>
</header>
${notices.map((each) => html`<p class="notice">${each}</p>\n`)}<div class="sum">
<p class="figure">${sum}</p>
${sumAlso.map((each) => html`<p class="also">${each}</p>\n`)}${party === undefined ? undefined : html`<p class="party">${party}</p>\n`}</div>
<div class="state">
<p class="word">${state}</p>
<p>${stateText}</p>
</div>
${sections.filter(({ values }) => values.length > 0).map(sectionOf)}${tables.map(tableOf)}${
  steps === undefined || steps.items.length === 0
    ? undefined
    : html`<section>
<h2>${steps.title}</h2>
<ul>
${steps.items.map((each) => html`<li>${each}</li>\n`)}</ul>
</section>
`
}<footer>
${footer.map((each) => html`<p>${each}</p>\n`)}</footer>
</main>
</body>
</html>
`.html;
}

const sectionOf = ({ title, values }: DocumentPage['sections'][number]): Html => html`<section>
<h2>${title}</h2>
<dl>
${values.map((each) => html`<div><dt>${each.title}</dt><dd${each.isCode ? CODE : undefined}>${shownValue(each)}</dd></div>\n`)}</dl>
</section>
`;

const CODE = html` class="code"`;
const CELLS = {
  amount: html` class="amount"`,
  code: CODE,
  word: html` class="word"`,
  time: html` class="time"`,
} as const;

function tableOf({ title, columns, rows }: PageTable): Html {
  const classOf = (index: number) => {
    const { as } = columns[index] ?? {};
    return as && CELLS[as];
  };
  return html`<section>
<h2>${title}</h2>
<div class="rows" tabindex="0" role="region" aria-label="${title}">
<table>
<thead><tr>${columns.map((column, index) => html`<th scope="col"${classOf(index)}>${column.title}</th>`)}</tr></thead>
<tbody>
${rows.map((row) => html`<tr>${row.map((cell, index) => html`<td${classOf(index)}>${cell}</td>`)}</tr>\n`)}</tbody>
</table>
</div>
</section>
`;
}

const shownValue = ({ text, at }: PageValue): Html =>
  at === undefined ? html`${text}` : html`<time datetime="${at}">${text}</time>`;

/** Paper is white, whatever the screen is. */
const LIGHT = `color-scheme:light;--page:#eef1f4;--paper:#fff;--ink:#16202a;--soft:#51606f;--line:#d9dfe5;
--good:#0a6640;--good-back:#e5f4ec;--open:#7a4b00;--open-back:#fdf1dc;--bad:#9c1c1c;--bad-back:#fbe9e8`;

const DARK = `color-scheme:dark;--page:#0d1217;--paper:#161d24;--ink:#e8edf2;--soft:#a5b2bf;--line:#2c3742;
--good:#6fd6a3;--good-back:#12301f;--open:#f0c067;--open-back:#352708;--bad:#ff9d94;--bad-back:#3a1715`;

const STYLE: Html = {
  html: `
:root{${LIGHT}}
@media screen and (prefers-color-scheme:dark){:root{${DARK}}}
*{box-sizing:border-box;margin:0}
html{-webkit-text-size-adjust:100%}
body{background:var(--page);color:var(--ink);font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",Arial,sans-serif;padding:32px 16px}
main{background:var(--paper);border:1px solid var(--line);border-radius:12px;margin:0 auto;max-width:720px;overflow:hidden;padding:40px}
main{--tone:var(--good);--back:var(--good-back)}
main.wide{max-width:960px}
main.open{--tone:var(--open);--back:var(--open-back)}
main.bad{--tone:var(--bad);--back:var(--bad-back)}
header{align-items:baseline;border-bottom:1px solid var(--line);display:flex;flex-wrap:wrap;gap:4px 24px;justify-content:space-between;padding-bottom:16px}
.from{font-weight:600;overflow-wrap:anywhere}
h1{color:var(--soft);font-size:16px;font-weight:400}
.notice{border:1px solid var(--open);border-radius:8px;background:var(--open-back);color:var(--open);font-weight:600;margin-top:24px;overflow-wrap:anywhere;padding:10px 14px}
.sum{padding:32px 0 24px}
.figure{font-size:40px;font-variant-numeric:tabular-nums;font-weight:650;letter-spacing:-.01em;line-height:1.15;overflow-wrap:anywhere}
.also{color:var(--soft);font-variant-numeric:tabular-nums;overflow-wrap:anywhere}
.party{font-size:18px;margin-top:8px;overflow-wrap:anywhere}
.state{background:var(--back);border-left:4px solid var(--tone);border-radius:4px 8px 8px 4px;padding:12px 16px}
.state p{overflow-wrap:anywhere}
.state .word{color:var(--tone);font-weight:700}
section{margin-top:32px}
h2{font-size:16px;font-weight:600;margin-bottom:4px}
dl>div{border-top:1px solid var(--line);display:grid;gap:0 24px;grid-template-columns:160px minmax(0,1fr);padding:8px 0}
dt{color:var(--soft)}
dd{font-variant-numeric:tabular-nums;overflow-wrap:anywhere}
dd.code{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace;font-size:14px;line-height:24px}
.rows{overflow-x:auto}
table{border-collapse:collapse;font-size:14px;font-variant-numeric:tabular-nums;width:100%}
th{color:var(--soft);font-weight:400;text-align:left}
th,td{border-top:1px solid var(--line);padding:6px 12px 6px 0;vertical-align:top}
td{min-width:9em;overflow-wrap:anywhere}
td.time,td.word,td.amount,th.amount{min-width:0;overflow-wrap:normal;white-space:nowrap}
th.amount,td.amount{padding-right:0;padding-left:12px;text-align:right}
td.code{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace;font-size:12px;min-width:10em}
ul{border-top:1px solid var(--line);list-style:none;padding:0}
li{overflow-wrap:anywhere;padding:8px 0 0}
footer{border-top:1px solid var(--line);color:var(--soft);font-size:14px;margin-top:32px;padding-top:16px}
footer p{overflow-wrap:anywhere}
@media (max-width:560px){body{padding:0}main{border:0;border-radius:0;min-height:100vh;padding:24px 20px}.figure{font-size:32px}dl>div{grid-template-columns:minmax(0,1fr)}}
@page{size:A4;margin:14mm 16mm;@bottom-right{color:#51606f;content:counter(page) " of " counter(pages);font:8pt system-ui,Arial,sans-serif}}
@media print{
thead{display:table-header-group}tr{break-inside:avoid}table{font-size:8.5pt}td{min-width:0}td.code{font-size:7pt;min-width:0}.rows{overflow:visible}
body{background:none;font-size:10pt;line-height:1.4;padding:0}
main,main.wide{border:0;border-radius:0;max-width:none;padding:0}
h1,h2{font-size:10pt}header{padding-bottom:8pt}.notice{margin-top:12pt;padding:6pt 10pt}
.sum{padding:14pt 0 12pt}.figure{font-size:24pt}.party{font-size:12pt;margin-top:4pt}
section,footer{margin-top:11pt}dl>div,li,.state,footer{break-inside:avoid}h2{break-after:avoid}
dl>div{grid-template-columns:110pt minmax(0,1fr);padding:2pt 0}dd.code{font-size:9pt;line-height:14pt}
li{padding-top:4pt}footer{font-size:8.5pt;padding-top:8pt}
.state,.notice{-webkit-print-color-adjust:exact;print-color-adjust:exact}
}
`,
};
