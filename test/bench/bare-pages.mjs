// The baseline for an export: the shortest script that reads a whole list page by page and parses each page.
const [url] = process.argv.slice(2);
const headers = { 'x-api-key': process.env.FIATRAIL_API_KEY };
let rows = 0;
for (let isMore = true; isMore; ) {
  const response = await fetch(`${url}?limit=100&offset=${rows}`, { headers });
  const { data } = JSON.parse(await response.text());
  rows += data.transactions.length;
  isMore = data.hasMore;
}
console.log(rows);
