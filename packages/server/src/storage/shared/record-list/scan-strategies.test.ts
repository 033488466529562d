import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { NO_FILTER } from '../../../domain/record/record-query.ts'
import type { RecordQuery } from '../../port/record-list-store.ts'
import { isSingleIndexRead, listStrategies } from './scan-strategies.ts'

function queryOf(changes: Partial<RecordQuery>): RecordQuery {
  const order = { sort: 'updated_at', descending: true } as const
  const page = { scope: null, limit: 50, after: null, backwards: false, scan_ms: 2000 }
  return { ...NO_FILTER, ...order, ...page, ...changes }
}

function describeStrategies(changes: Partial<RecordQuery>): string[] {
  return listStrategies(queryOf(changes)).map((strategy) =>
    strategy.scan === 'candidates' ? `candidates: ${strategy.source.index}` : strategy.scan,
  )
}

describe('listStrategies', () => {
  it('reads an unfiltered list in the order of the index on its column', () => {
    assert.deepEqual(describeStrategies({}), ['hub_column'])
  })

  it('tries the index of a field before it sorts all records', () => {
    assert.deepEqual(describeStrategies({ sort: 'data.city' }), ['indexed_field', 'sorted'])
  })

  it('tries every index that covers a condition of the filter, the most selective first', () => {
    const filter: Partial<RecordQuery> = {
      reference_number: 'A-1',
      conditions: [
        { column: 'data.city', test: 'is', value: 'Bonn' },
        { column: 'hub_full_name', test: 'starts', value: 'Ann' },
      ],
      missing_review: 7,
      missing: true,
      incomplete: true,
      changed_since: '2026-11-21T07:30:00.000Z',
    }
    assert.deepEqual(describeStrategies(filter), [
      'candidates: hub_column',
      'candidates: field',
      'candidates: hub_column',
      'candidates: missing_review',
      'candidates: missing',
      'candidates: incomplete',
      'candidates: change_seq',
      'hub_column',
    ])
  })

  it('has no index for records that are present or complete', () => {
    assert.deepEqual(describeStrategies({ missing: false, incomplete: false }), ['hub_column'])
  })
})

describe('isSingleIndexRead', () => {
  it('is true for unfiltered lists of everything or of one module', () => {
    const module = { platform: 'crm', record_type: 'person' }
    assert.equal(isSingleIndexRead(queryOf({})), true)
    const scope = {
      everywhere: true,
      modules: [],
      kinds: new Map(),
      reviewed: null,
      last_removal: 1,
    }
    assert.equal(isSingleIndexRead(queryOf({ scope: { ...scope, all: true } })), true)
    assert.equal(isSingleIndexRead(queryOf({ scope: { ...scope, all: false } })), false)
    assert.equal(isSingleIndexRead(queryOf({ ...module, sort: 'full_name' })), true)
    assert.equal(isSingleIndexRead(queryOf({ sort: 'full_name' })), false)
    assert.equal(isSingleIndexRead(queryOf({ platform: 'crm' })), false)
    assert.equal(isSingleIndexRead(queryOf({ ...module, missing: true })), false)
    assert.equal(isSingleIndexRead(queryOf({ ...module, sort: 'data.city' })), false)
  })
})
