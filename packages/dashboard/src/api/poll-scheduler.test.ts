import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fc } from '../../../server/test/helpers/random/fast-check.ts'
import { createPollScheduler } from './poll-scheduler.ts'

/** A page with a clock that the test advances. */
function openPage({ isSlow = false, earlyBy = 0 } = {}) {
  let time = 0
  let hidden = false
  let timers: { at: number; run: () => void }[] = []
  const polledAt: number[] = []
  const responses: (() => void)[] = []
  const scheduler = createPollScheduler({
    intervalMs: 10_000,
    poll: async (responded) => {
      polledAt.push(time)
      if (isSlow) await new Promise<void>((resolve) => responses.push(resolve))
      responded()
    },
    isHidden: () => hidden,
    now: () => time,
    setTimer(ms, run) {
      const timer = { at: time + (ms > earlyBy ? ms - earlyBy : ms), run }
      timers.push(timer)
      return () => {
        timers = timers.filter((one) => one !== timer)
      }
    },
  })
  /** Waits for pending responses, then runs all timers that are due until `end`. */
  async function advanceTo(end: number) {
    for (;;) {
      await new Promise<void>((resolve) => setImmediate(resolve))
      const next = timers.toSorted((one, other) => one.at - other.at)[0]
      if (!next || next.at > end) break
      timers = timers.filter((one) => one !== next)
      time = Math.max(time, next.at)
      next.run()
    }
    time = end
  }
  return {
    scheduler,
    polledAt,
    responses,
    advanceTo,
    show: (isShown: boolean) => {
      hidden = !isShown
      scheduler.trigger()
    },
  }
}

describe('the poll scheduler', () => {
  it('polls at once and then every 10 seconds', async () => {
    const page = openPage()
    page.scheduler.trigger()
    await page.advanceTo(35_000)
    assert.deepEqual(page.polledAt, [0, 10_000, 20_000, 30_000])
  })

  it('polls once when a hidden page is shown, then every 10 seconds', async () => {
    const page = openPage()
    page.scheduler.trigger()
    await page.advanceTo(1000)
    page.show(false)
    await page.advanceTo(47_000)
    assert.deepEqual(page.polledAt, [0])
    page.show(true)
    await page.advanceTo(60_000)
    assert.deepEqual(page.polledAt, [0, 47_000, 57_000])
  })

  it('never runs two polls at the same time, and waits 10 seconds after a slow response', async () => {
    const page = openPage({ isSlow: true })
    page.scheduler.trigger()
    await page.advanceTo(35_000)
    for (let trigger = 0; trigger < 50; trigger++) page.scheduler.trigger()
    await page.advanceTo(36_000)
    assert.deepEqual(page.polledAt, [0])
    page.responses[0]?.()
    await page.advanceTo(36_500)
    for (let trigger = 0; trigger < 50; trigger++) page.scheduler.trigger()
    await page.advanceTo(60_000)
    // The hub may have received the first request at any time until its response.
    assert.deepEqual(page.polledAt, [0, 46_000])
  })

  it('waits 10 seconds by its clock even if a timer ends early', async () => {
    const page = openPage({ earlyBy: 300 })
    page.scheduler.trigger()
    await page.advanceTo(25_000)
    assert.deepEqual(page.polledAt, [0, 10_000, 20_000])
  })

  it('does not poll after stop()', async () => {
    const page = openPage()
    page.scheduler.trigger()
    await page.advanceTo(1000)
    page.scheduler.stop()
    page.scheduler.trigger()
    await page.advanceTo(60_000)
    assert.deepEqual(page.polledAt, [0])
  })

  it('waits at least 10 seconds between two polls, whatever triggers and visibility changes occur', async () => {
    const event = fc.record({
      wait: fc.nat(7000),
      type: fc.constantFrom('trigger', 'hide', 'show'),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(event, { maxLength: 60 }), async (events) => {
        const page = openPage()
        page.scheduler.trigger()
        let time = 0
        for (const { wait, type } of events) {
          time += wait
          await page.advanceTo(time)
          if (type === 'trigger') page.scheduler.trigger()
          else page.show(type === 'show')
        }
        page.show(true)
        await page.advanceTo(time + 10_000)
        const gaps = page.polledAt.slice(1).map((at, index) => at - (page.polledAt[index] ?? 0))
        assert.ok(gaps.every((gap) => gap >= 10_000))
        assert.ok((page.polledAt.at(-1) ?? 0) >= time - 10_000, 'polls again when it is shown')
      }),
      { numRuns: 100 },
    )
  })
})
