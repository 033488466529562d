/**
 * `node --import` runs this before a test process loads node:test, whose async hook notes the test of each promise. That takes
 * a tenth of the processor time, and serves only to name the test that caused an unhandled rejection. Without it, such a
 * rejection still fails its file.
 */
import asyncHooks from 'node:async_hooks'

const { createHook } = asyncHooks
asyncHooks.createHook = (callbacks) => createHook({ ...callbacks, trackPromises: false })
