/**
 * Preloaded into a hub: on SIGUSR2, allocates memory until V8 aborts the process. This file is JavaScript, because
 * Node.js loads it before it can load TypeScript.
 */
import { isMainThread } from 'node:worker_threads'

if (isMainThread) {
  process.on('SIGUSR2', () => {
    const kept = []
    for (;;) kept.push(new Array(1_000_000).fill(kept.length))
  })
}
