/** Loaded on first use: 0.4 MB of code that most commands never need. */
export async function loadSodium() {
  const { default: sodium } = await import('libsodium-wrappers');
  await sodium.ready;
  return sodium;
}
