'use strict';

// The floor for a read over HTTP in Node: the shortest script that sends the same request and prints the response.
const { get } = require('node:http');

get(process.argv[2], { headers: { 'x-api-key': process.env.FIATRAIL_API_KEY } }, (response) =>
  response.pipe(process.stdout),
);
