// The baseline for a read over HTTP: the shortest script that fetches and prints.
const response = await fetch(process.argv[2], { headers: { 'x-api-key': process.env.FIATRAIL_API_KEY } });
console.log(await response.text());
