import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limitWork } from './work-limit.ts'

test('a limit of work is over after its time, or later if the process got little processor time', (t) => {
  let [now, cpu] = [5000, 7000]
  t.mock.method(performance, 'now', () => now)
  t.mock.method(process, 'cpuUsage', (since?: NodeJS.CpuUsage) => ({
    user: cpu * 500 - (since?.user ?? 0),
    system: cpu * 500 - (since?.system ?? 0),
  }))
  const isOverAfter = (passed: number, used: number) => {
    const limit = limitWork(100)
    ;[now, cpu] = [now + passed, cpu + used]
    return limit.isOver()
  }
  assert.equal(isOverAfter(99, 99), false)
  assert.equal(isOverAfter(99, 400), false, 'other threads have used more')
  assert.equal(isOverAfter(100, 100), true)
  assert.equal(isOverAfter(100, 99), false)
  assert.equal(isOverAfter(999, 99), false)
  assert.equal(isOverAfter(1000, 0), true)
  assert.equal(limitWork(0).isOver(), true)
})
