/**
 * `npm test -- --clock <time>` preloads this file into test processes, which then start at TEST_CLOCK. Processes that
 * a test starts continue its clock. Only `Date` is shifted; timers, monotonic clocks and databases are not. This file
 * is JavaScript because tests also start versions of Node.js that do not load TypeScript.
 */
import { env } from 'node:process'

const start = env['TEST_CLOCK']
if (start !== undefined) {
  env['TEST_CLOCK_OFFSET_MS'] ??= String(Date.parse(start) - Date.now())
  env['NODE_OPTIONS'] ??= `--import=${import.meta.url}`
  shiftDate(Number(env['TEST_CLOCK_OFFSET_MS']))
}

/** @param {number} offsetMs */
function shiftDate(offsetMs) {
  const RealDate = Date
  const now = () => RealDate.now() + offsetMs
  globalThis.Date = new Proxy(RealDate, {
    construct: (target, args, newTarget) =>
      Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
    apply: () => new RealDate(now()).toString(),
    get: (target, key) => (key === 'now' ? now : Reflect.get(target, key)),
  })
  RealDate.prototype.constructor = globalThis.Date
}
