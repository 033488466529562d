/**
 * `npm test -- --clock <time>` preloads this file into test processes, which then start at TEST_CLOCK. Processes that
 * a test starts continue its clock. With TEST_CLOCK_FILE, the file contains a further offset in milliseconds, which a
 * test may change while the process runs. Only `Date` is shifted; timers, monotonic clocks and databases are not. This
 * file is JavaScript because tests also start versions of Node.js that do not load TypeScript.
 */
import { readFileSync } from 'node:fs'
import { env } from 'node:process'
import { isMainThread } from 'node:worker_threads'

const POLL_MS = 20

const { TEST_CLOCK: start, TEST_CLOCK_FILE: file } = env
if (start !== undefined) {
  env['TEST_CLOCK_OFFSET_MS'] ??= String(Date.parse(start) - Date.now())
  env['NODE_OPTIONS'] ??= `--import=${import.meta.url}`
}
const offsetMs = Number(env['TEST_CLOCK_OFFSET_MS'] ?? '0')
let jumpMs = 0
if (file !== undefined) setInterval(readJump, POLL_MS, file).unref()
if (start !== undefined || file !== undefined) shiftDate(() => offsetMs + jumpMs)

/** @param {string} path */
function readJump(path) {
  const next = Number(readFileSync(path, 'utf8'))
  if (next === jumpMs) return
  jumpMs = next
  if (isMainThread) process.stdout.write(`The clock is shifted by ${jumpMs} ms\n`)
}

/** @param {() => number} offset */
function shiftDate(offset) {
  const RealDate = Date
  const now = () => RealDate.now() + offset()
  globalThis.Date = new Proxy(RealDate, {
    construct: (target, args, newTarget) =>
      Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
    apply: () => new RealDate(now()).toString(),
    get: (target, key) => (key === 'now' ? now : Reflect.get(target, key)),
  })
  RealDate.prototype.constructor = globalThis.Date
}
