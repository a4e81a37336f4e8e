import { join } from 'node:path';
import type { Request } from 'autocannon';
import { timeMs } from './measure.ts';
import type { Row } from './report.ts';
import { ratios } from './statistics.ts';
import { type Load, type Shot, shootInTurn } from './throughput.ts';
import type { Served, Workshop } from './workshop.ts';

const FEW = 10;
const MANY = 10_000;

/** Filled by three orders of the benchmark's book. */
const WISH = { pair: 'CNGN-USDC', side: 'buy', cngnAmount: '120000' };

function shotAt({ url, apiKey }: Served, path: string): Shot {
  const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
  const request: Request = { method: 'POST', path: `/v1${path}`, headers, body: JSON.stringify(WISH) };
  return { url: new URL(url).origin, request };
}

async function serveBook(shop: Workshop, orders: number): Promise<Served> {
  const state = `book-${orders}`;
  const serve = shop.fiatrail(state, ['sandbox', 'serve', '--port', '0', '--rate-limits', 'off', '-o', 'json']);
  // Created by the program, so that the folder has the usual form.
  timeMs(shop.fiatrail(state, ['sandbox', 'clock']));
  const file = join(serve.env['FIATRAIL_STATE_DIR'] ?? '', 'sandbox.db');
  timeMs(shop.node([join(import.meta.dirname, 'fill-book.ts'), file, String(orders)]));
  return shop.serve(serve);
}

/** Measures quotes and market orders per second on a long book against a short one. */
export async function measureOrderBook(shop: Workshop, load: Load): Promise<Row[]> {
  const [short, long] = [await serveBook(shop, FEW), await serveBook(shop, MANY)];
  const rows: Row[] = [];
  for (const path of ['/fx/quote', '/fx/market-order']) {
    const hits = await shootInTurn({ short: shotAt(short, path), long: shotAt(long, path) }, load);
    const perSecond = (name: 'short' | 'long') => hits[name].map((each) => each.perSecond);
    const refused = [...hits.short, ...hits.long].reduce((sum, each) => sum + each.refused, 0);
    const name = `POST /v1${path}, a book of ${MANY.toLocaleString('en')} orders`;
    // Refusals are cheaper than trades and would flatter the figures.
    if (refused > 0) {
      rows.push({ name, why: `${refused} requests had no status 200` });
      continue;
    }
    rows.push({
      name,
      unit: '/s',
      values: perSecond('long'),
      against: `${FEW} orders`,
      beside: perSecond('short'),
      ratios: ratios(perSecond('long'), perSecond('short')),
      // The cost may be up to three times as high.
      target: { is: 'at least', ratio: 0.333 },
      note: `120,000 cNGN, three orders each. All had status 200.`,
    });
  }
  await Promise.all([shop.stop(short), shop.stop(long)]);
  return rows;
}
