/**
 * Keeps V8's heap small, with flags of V8 that take effect in a running process (decision 20). Node.js only offers
 * options of its command line for this, which cannot be set by a program.
 */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/**
 * Called before the modules of the hub are loaded. Most objects that loading creates are permanent. A young generation
 * that grows for them stays large.
 */
export function limitHeapDuringStart(): void {
  setFlagsFromString('--semi-space-growth-factor=1')
}

/**
 * Called when the hub has started. Frees the garbage of the start, and lets the heap grow by less than half of what is
 * in use until the next collection: before its first collection, V8 lets any heap grow by 256 MB.
 */
export function limitHeapAfterStart(): void {
  setFlagsFromString('--semi-space-growth-factor=2')
  setFlagsFromString('--heap-growing-percent=40')
  setFlagsFromString('--expose-gc')
  const collectGarbage: () => void = runInNewContext('gc')
  collectGarbage()
}
