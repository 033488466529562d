/**
 * Preloaded into test processes by `npm test -- --clock <time>`: makes each of them start at TEST_CLOCK. Processes
 * that a test starts continue the clock of the test. Only `Date` is shifted; timers, monotonic clocks and
 * databases are not.
 */
import { env } from 'node:process'

const start = env['TEST_CLOCK']
if (start !== undefined) {
  env['TEST_CLOCK_OFFSET_MS'] ??= String(Date.parse(start) - Date.now())
  env['NODE_OPTIONS'] ??= `--import=${import.meta.url}`
  shiftDate(Number(env['TEST_CLOCK_OFFSET_MS']))
}

function shiftDate(offsetMs: number): void {
  const RealDate = Date
  const now = () => RealDate.now() + offsetMs
  globalThis.Date = new Proxy(RealDate, {
    construct: (target, args, newTarget): Date =>
      Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
    apply: () => new RealDate(now()).toString(),
    get: (target, key) => (key === 'now' ? now : Reflect.get(target, key)),
  })
  RealDate.prototype.constructor = globalThis.Date
}
