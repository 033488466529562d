import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fc } from '../../../server/test/helpers/random/fast-check.ts'
import { createPollingRhythm } from './polling-rhythm.ts'

/** A page with a clock that the test advances. */
function openPage({ isSlow = false } = {}) {
  let time = 0
  let hidden = false
  let timers: { at: number; run: () => void }[] = []
  const askedAt: number[] = []
  const answers: (() => void)[] = []
  const rhythm = createPollingRhythm({
    intervalMs: 10_000,
    ask: () => {
      askedAt.push(time)
      return isSlow ? new Promise<void>((resolve) => answers.push(resolve)) : Promise.resolve()
    },
    isHidden: () => hidden,
    now: () => time,
    after(ms, run) {
      const timer = { at: time + ms, run }
      timers.push(timer)
      return () => {
        timers = timers.filter((one) => one !== timer)
      }
    },
  })
  /** Waits for pending responses, then runs all timers that are due until `end`. */
  async function goTo(end: number) {
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
    rhythm,
    askedAt,
    answers,
    goTo,
    show: (isShown: boolean) => {
      hidden = !isShown
      rhythm.wish()
    },
  }
}

describe('the poll scheduler', () => {
  it('polls at once and then every 10 seconds', async () => {
    const page = openPage()
    page.rhythm.wish()
    await page.goTo(35_000)
    assert.deepEqual(page.askedAt, [0, 10_000, 20_000, 30_000])
  })

  it('polls once when a hidden page is shown, then every 10 seconds', async () => {
    const page = openPage()
    page.rhythm.wish()
    await page.goTo(1000)
    page.show(false)
    await page.goTo(47_000)
    assert.deepEqual(page.askedAt, [0])
    page.show(true)
    await page.goTo(60_000)
    assert.deepEqual(page.askedAt, [0, 47_000, 57_000])
  })

  it('never runs two polls at the same time, however slow the response is', async () => {
    const page = openPage({ isSlow: true })
    page.rhythm.wish()
    await page.goTo(35_000)
    for (let trigger = 0; trigger < 50; trigger++) page.rhythm.wish()
    await page.goTo(36_000)
    assert.deepEqual(page.askedAt, [0])
    page.answers[0]?.()
    await page.goTo(37_000)
    assert.equal(page.askedAt.length, 2)
  })

  it('does not poll after stop()', async () => {
    const page = openPage()
    page.rhythm.wish()
    await page.goTo(1000)
    page.rhythm.stop()
    page.rhythm.wish()
    await page.goTo(60_000)
    assert.deepEqual(page.askedAt, [0])
  })

  it('keeps 10 seconds between two polls, whatever triggers and visibility changes occur', async () => {
    const event = fc.record({ wait: fc.nat(7000), what: fc.constantFrom('wish', 'hide', 'show') })
    await fc.assert(
      fc.asyncProperty(fc.array(event, { maxLength: 60 }), async (events) => {
        const page = openPage()
        page.rhythm.wish()
        let time = 0
        for (const { wait, what } of events) {
          time += wait
          await page.goTo(time)
          if (what === 'wish') page.rhythm.wish()
          else page.show(what === 'show')
        }
        page.show(true)
        await page.goTo(time + 10_000)
        const gaps = page.askedAt.slice(1).map((at, index) => at - (page.askedAt[index] ?? 0))
        assert.ok(gaps.every((gap) => gap >= 10_000))
        assert.ok((page.askedAt.at(-1) ?? 0) >= time - 10_000, 'polls again when it is shown')
      }),
      { numRuns: 100 },
    )
  })
})
