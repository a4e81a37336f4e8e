/** Starts and closes sandboxes in this process, and prints how many milliseconds each took to be ready. */
const [path, count] = process.argv.slice(2);
const { startSandbox } = require(path);

(async () => {
  const times = [];
  for (let left = Number(count); left > 0; left -= 1) {
    const beganAt = process.hrtime.bigint();
    const sandbox = await startSandbox();
    times.push(Number(process.hrtime.bigint() - beganAt) / 1e6);
    await sandbox.close();
  }
  process.stdout.write(JSON.stringify(times));
})();
