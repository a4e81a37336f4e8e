import { Worker } from 'node:worker_threads';
import type { Thread } from '../base/world.ts';

/** Implements `World.startThread`: the thread runs this program again, which finds its part by the word. */
export function startThread(program: string, word: string): Thread {
  const worker = new Worker(program, { argv: [word], resourceLimits: { maxYoungGenerationSizeMb: 16 } });
  // Its end says the same.
  worker.on('error', () => {});
  return {
    post: (message) => worker.postMessage(message),
    onMessage: (listener) => void worker.on('message', listener),
    onEnd: (listener) => void worker.once('exit', listener),
    end: async () => void (await worker.terminate()),
  };
}
