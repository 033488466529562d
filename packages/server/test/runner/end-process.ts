/**
 * Ends a test process that does not end after its last test, such as one with a server that a failed test left open. The
 * entry of a process imports this module.
 */
import { after } from 'node:test'
import { guardMs } from '../helpers/time/guard.ts'

/** For hooks that close what tests share. */
const closingMs = Number(process.env['TEST_CLOSING_MS'] ?? 60_000)

after(() => {
  setTimeout(() => {
    const open = process.getActiveResourcesInfo().join(', ')
    process.stderr.write(`The process did not end after its tests. It has open: ${open}\n`)
    process.exit(1)
  }, guardMs(closingMs)).unref()
})
