// What a read over HTTP is compared with: the shortest script that asks and prints.
const response = await fetch(process.argv[2], { headers: { 'x-api-key': process.env.FIATRAIL_API_KEY } });
console.log(await response.text());
