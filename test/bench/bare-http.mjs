// The floor for a read over HTTP in Node: the shortest script that requests and prints without fetch.
import { get } from 'node:http';

get(process.argv[2], { headers: { 'x-api-key': process.env.FIATRAIL_API_KEY } }, (response) =>
  response.pipe(process.stdout),
);
