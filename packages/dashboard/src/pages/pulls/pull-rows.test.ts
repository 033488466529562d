import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { testPull } from '../../lib/test-pulls.ts'
import { countMatches, foldKey, foldPulls, toPullRows } from './pull-rows.ts'

type Change = Parameters<typeof testPull>[0]
const NONE = { created: 0, updated: 0, unchanged: 9 }
const CHANGED = { counts: { ...NONE, updated: 2 } }
const STILL_NOT_LISTED = { counts: { ...NONE, not_listed: 321 } }
const NOT_LISTED = { ...STILL_NOT_LISTED, begun: { rejected: false, not_listed: true } }
const failure = { platforms: 1, platform_title: 'Northfield Clinic', error: 'HTTP 503' }
const FAILED: Change = { state: 'partial', failure }
const WHOLE = { hasNewer: false, hasOlder: false }

/** Pulls of the given kinds, newest first, one an hour until noon. */
function pulls(...kinds: Change[]) {
  return kinds.map((kind, index) => {
    const at = new Date(Date.UTC(2026, 10, 25, 12) - index * 3_600_000).toISOString()
    const times = { requested_at: at, started_at: at, finished_at: at }
    const pull = { id: 100 - index, trigger: 'schedule', state: 'succeeded', counts: NONE } as const
    return testPull({ ...pull, ...times, ...kind })
  })
}

/** Each row in a word: the id of a pull, `n×` for a fold, and what began. */
function rowsOf(list: ReturnType<typeof pulls>, opened = '', page = {}, folds = true): string[] {
  const isOpen = (id: string) => id === opened
  const about = { ...WHOLE, ...page }
  let above = ''
  const dayOf = (iso: string) => iso.slice(8, 10)
  return toPullRows(list, isOpen, about, dayOf, folds).flatMap((row) => {
    const { id, pulls, changed, isPart } = row.day
    const heading = id === above ? [] : [`day ${id}: ${pulls}, ${changed}${isPart ? '+' : ''}`]
    above = id
    if (row.kind === 'fold') return [...heading, `${row.pulls.length}×`]
    const { rejected, not_listed } = row.pull.begun
    const begun = `${rejected ? ' rejected' : ''}${not_listed ? ' not listed' : ''}`
    return [...heading, `${row.isFolded ? '·' : ''}${row.id}${begun}`]
  })
}

describe('the rows of the list of pulls', () => {
  it('fold equal neighbours, except the newest pull, and the sums of a day count each pull', () => {
    const list = pulls({}, {}, {}, CHANGED, FAILED, FAILED, {}, CHANGED, ...Array(6).fill({}))
    assert.deepEqual(rowsOf(list), [
      ...['day 25: 13, 2', '100', '2×', '97', '2×', '94', '93', '5×'],
      ...['day 24: 1, 0', '87'],
    ])
    assert.deepEqual(rowsOf(list, 'fold 98').slice(1, 6), ['100', '2×', '·99', '·98', '97'])
  })

  it('are all pulls, if none fold, with the same days', () => {
    const list = pulls({}, {}, STILL_NOT_LISTED, NOT_LISTED, FAILED, FAILED, {})
    assert.deepEqual(rowsOf(list, '', {}, false), [
      ...['day 25: 7, 0', '100', '99', '98', '97 not listed', '96', '95', '94'],
    ])
  })

  it('name the pull in which something began, and fold those that repeat it', () => {
    const list = pulls({}, STILL_NOT_LISTED, STILL_NOT_LISTED, NOT_LISTED, {})
    assert.deepEqual(rowsOf(list), [...['day 25: 5, 0', '100', '2×', '97 not listed', '96']])
  })

  it('fold alike for one platform, whose state and error are those of its modules', () => {
    const { counts, begun } = testPull({ counts: NONE })
    const of = (state: string, failure: string | null = null) => ({ state, counts, begun, failure })
    const list = [
      of('succeeded'),
      of('succeeded'),
      of('failed', 'HTTP 503'),
      of('failed', 'HTTP 503'),
      of('failed', 'HTTP 500'),
      of('skipped'),
    ]
    const rows = foldPulls(list, {
      keyOf: foldKey,
      idOf: (one) => list.indexOf(one),
      isOpen: (id) => id === 'fold 3',
    })
    assert.deepEqual(
      rows.map(({ id }) => id),
      ['fold 1', 'fold 3', '2', '3', '4', '5'],
    )
  })

  it('do not claim the sum of a day beyond the page', () => {
    assert.deepEqual(rowsOf(pulls({}), '', { hasOlder: true }), ['day 25: 1, 0+', '100'])
  })

  it('are counted as the hub filters them: ended pulls only, and an interrupted one as none that failed', () => {
    const running = { ...CHANGED, finished_at: null }
    const list = pulls(running, NOT_LISTED, CHANGED, FAILED, { state: 'interrupted' })
    const outcomes = ['changed', 'failed', 'new_rejections', 'newly_not_listed'] as const
    assert.deepEqual(
      outcomes.map((outcome) => countMatches(list, outcome)),
      [1, 1, 0, 1],
    )
  })
})
