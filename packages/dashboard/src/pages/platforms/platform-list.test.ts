import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Platform } from '@recordhub/protocol'
import { filterPlatforms, type Health, noAlertsLabel } from './platform-list.ts'

function platform(display_title: string, over: Partial<Platform> = {}): Platform {
  return {
    id: 1,
    platform_name: display_title.toLowerCase(),
    platform_title: display_title,
    display_title,
    platform_description: '',
    connection_type: 'dynamic_api',
    source_base_url: `https://${display_title.toLowerCase()}.example`,
    status: 'active',
    modules_registered: 1,
    health: { state: 'healthy', reasons: [] },
    records: 10,
    manifest_fetched_at: null,
    latest_sync_at: '2026-11-21T07:30:00.000Z',
    last_push_at: null,
    hub_api_key_hint: null,
    last_error: null,
    missing_reviews: 0,
    rejected_pushes: 0,
    modules: [],
    ...over,
  }
}

const inState = (state: Health) => ({ health: { state, reasons: [] } })
const ALL = [
  platform('Clinic', { records: 5, ...inState('failing') }),
  platform('archive', { records: 5, status: 'inactive', ...inState('inactive') }),
  platform('School', { records: 99, ...inState('needs_attention') }),
  platform('Shop', { records: 1, latest_sync_at: null, ...inState('new') }),
]
const ANY = { text: '', health: '' }

describe('the platform list', () => {
  it('sorts by health, the worst first', () => {
    const titles = titlesOf(ANY, 'health', 'asc')
    assert.deepEqual(titles, ['Clinic', 'School', 'Shop', 'archive'])
  })

  it('mentions failing platforms if there are no open alerts', () => {
    assert.equal(noAlertsLabel([]), 'No open alerts')
    const failing = ALL.filter(({ health }) => health.state === 'failing')
    assert.equal(noAlertsLabel(failing), 'No open alerts, but 1 platform is failing')
    assert.match(noAlertsLabel([...failing, ...failing]), /2 platforms are failing/)
  })

  it('sorts case-insensitively, with equal values by title in either direction', () => {
    assert.deepEqual(titlesOf(ANY, 'title', 'asc'), ['archive', 'Clinic', 'School', 'Shop'])
    assert.deepEqual(titlesOf(ANY, 'records', 'desc'), ['School', 'archive', 'Clinic', 'Shop'])
    assert.deepEqual(titlesOf(ANY, 'records', 'asc'), ['Shop', 'archive', 'Clinic', 'School'])
  })

  it('filters by title, name or address, and by health', () => {
    assert.deepEqual(titlesOf({ ...ANY, text: ' CLIN' }), ['Clinic'])
    assert.deepEqual(titlesOf({ ...ANY, text: 'shop.example' }), ['Shop'])
    assert.deepEqual(titlesOf({ ...ANY, health: 'inactive' }), ['archive'])
    assert.deepEqual(titlesOf({ ...ANY, health: 'needs_attention' }), ['School'])
    assert.deepEqual(titlesOf({ ...ANY, text: 'shop', health: 'failing' }), [])
  })
})

function titlesOf(
  filter: typeof ANY,
  sort: Parameters<typeof filterPlatforms>[2]['sort'] = 'title',
  direction: 'asc' | 'desc' = 'asc',
): string[] {
  return filterPlatforms(ALL, filter, { sort, direction }).map((one) => one.display_title)
}
