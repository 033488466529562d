import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { testPull } from '../../lib/test-pulls.ts'
import { countMatches, type PullFilter, toPullRows } from './pull-rows.ts'

type Change = Parameters<typeof testPull>[0]
const NONE = { created: 0, updated: 0, unchanged: 9 }
const CHANGED = { counts: { ...NONE, updated: 2 } }
const NOT_LISTED = { counts: { ...NONE, not_listed: 321 } }
const failure = { platforms: 1, platform_title: 'Northfield Clinic', error: 'HTTP 503' }
const FAILED: Change = { state: 'partial', failure }
const WHOLE = { hasNewer: false, hasOlder: false, hasAllBetween: true, knowsOlder: true }

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
function rowsOf(
  list: ReturnType<typeof pulls>,
  opened = '',
  page = {},
  filter: PullFilter | null = null,
  folds = true,
): string[] {
  const isOpen = (id: string) => id === opened
  const about = { ...WHOLE, ...page }
  let above = ''
  const dayOf = (iso: string) => iso.slice(8, 10)
  return toPullRows(list, isOpen, about, dayOf, filter, folds).flatMap((row) => {
    const { id, pulls, changed, isPart } = row.day
    const heading = id === above ? [] : [`day ${id}: ${pulls}, ${changed}${isPart ? '+' : ''}`]
    above = id
    if (row.kind === 'fold') return [...heading, `${row.pulls.length}×`]
    const { rejected, notListed } = row.begun
    const begun = `${rejected ? ' rejected' : ''}${notListed ? ' not listed' : ''}`
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

  it('are all pulls, if none fold, with the same days and beginnings', () => {
    const list = pulls({}, {}, NOT_LISTED, NOT_LISTED, FAILED, FAILED, {})
    assert.deepEqual(rowsOf(list, '', {}, null, false), [
      ...['day 25: 7, 0', '100', '99', '98', '97 not listed', '96', '95', '94'],
    ])
  })

  it('name the pull in which something began, and fold those that repeat it', () => {
    const onePlatform = { progress: { tasks_total: 1 } }
    const list = pulls({}, NOT_LISTED, NOT_LISTED, onePlatform, NOT_LISTED, {})
    assert.deepEqual(rowsOf(list), [...['day 25: 6, 0', '100', '2×', '97', '96 not listed', '95']])
  })

  it('claim neither a beginning nor the sum of a day beyond the page', () => {
    const list = pulls(NOT_LISTED, NOT_LISTED)
    assert.deepEqual(rowsOf(list), ['day 25: 2, 0', '100', '99 not listed'])
    assert.deepEqual(rowsOf(list, '', { hasOlder: true }), ['day 25: 2, 0+', '100', '99'])
    assert.deepEqual(rowsOf(list, '', { knowsOlder: false }), ['day 25: 2, 0', '100', '99'])
    assert.deepEqual(rowsOf(pulls(NOT_LISTED, {}), '', { hasAllBetween: false }), [
      ...['day 25: 2, 0', '100', '99'],
    ])
  })

  it('leave as many pulls as the filter counts, and know what began from those that it hides', () => {
    const list = pulls({}, NOT_LISTED, NOT_LISTED, CHANGED, FAILED, {})
    const expected = { changed: 1, failed: 1, rejected: 0, not_listed: 1, reverted: 0 }
    assert.deepEqual(countMatches(list, WHOLE), expected)
    assert.deepEqual(rowsOf(list, '', {}, 'not_listed'), ['day 25: 1, 0', '98 not listed'])
    assert.deepEqual(rowsOf(list, '', {}, 'failed'), ['day 25: 1, 0', '96'])
    assert.deepEqual(rowsOf(list, '', {}, 'rejected'), [])
    // As the hub, which lists ended pulls only, and an interrupted one as none that failed.
    const others = pulls({ ...CHANGED, finished_at: null }, { state: 'interrupted' })
    assert.deepEqual(countMatches(others, WHOLE), {
      ...expected,
      changed: 0,
      failed: 0,
      not_listed: 0,
    })
  })
})
