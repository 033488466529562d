import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Platform } from '@recordhub/protocol'
import { filterPlatforms, healthOf, healthReason, noAlertsLabel } from './platform-list.ts'

function platform(display_title: string, over: Partial<Platform> = {}): Platform {
  return {
    id: 1,
    platform_name: display_title.toLowerCase(),
    display_title,
    platform_description: '',
    connection_type: 'dynamic_api',
    source_base_url: `https://${display_title.toLowerCase()}.example`,
    status: 'active',
    modules_registered: 1,
    modules_failing: 0,
    records: 10,
    manifest_fetched_at: null,
    latest_sync_at: '2026-11-21T07:30:00.000Z',
    last_push_at: null,
    hub_api_key_hint: null,
    last_error: null,
    missing_reviews: 0,
    modules: [],
    ...over,
  }
}

const ALL = [
  platform('Clinic', { records: 5, modules_failing: 1, last_error: 'HTTP 500' }),
  platform('archive', { records: 5, status: 'inactive', last_error: 'HTTP 500' }),
  platform('School', { records: 99, missing_reviews: 2, last_error: '2 of 9 records rejected: …' }),
  platform('Shop', { records: 1, latest_sync_at: null }),
]
const ANY = { text: '', status: '', health: '' }

describe('the platform list', () => {
  it('shows the health of each platform and sorts the worst first', () => {
    assert.deepEqual(ALL.map(healthOf), ['failing', 'inactive', 'needs_review', 'no_data'])
    assert.equal(healthReason(platform('School')), null)
    assert.match(healthReason(platform('Clinic', { missing_reviews: 1 })) ?? '', /of one module/)
    const titles = titlesOf(ANY, 'health', 'asc')
    assert.deepEqual(titles, ['Clinic', 'School', 'Shop', 'archive'])
  })

  it('mentions failing platforms if there are no open alerts', () => {
    assert.equal(noAlertsLabel([]), 'No open alerts')
    const failing = ALL.filter((one) => healthOf(one) === 'failing')
    assert.equal(noAlertsLabel(failing), 'No open alerts, but 1 platform is failing')
    assert.match(noAlertsLabel([...failing, ...failing]), /2 platforms are failing/)
  })

  it('sorts case-insensitively, with equal values by title in either direction', () => {
    assert.deepEqual(titlesOf(ANY, 'title', 'asc'), ['archive', 'Clinic', 'School', 'Shop'])
    assert.deepEqual(titlesOf(ANY, 'records', 'desc'), ['School', 'archive', 'Clinic', 'Shop'])
    assert.deepEqual(titlesOf(ANY, 'records', 'asc'), ['Shop', 'archive', 'Clinic', 'School'])
  })

  it('filters by title, name or address, by status and by health', () => {
    assert.deepEqual(titlesOf({ ...ANY, text: ' CLIN' }), ['Clinic'])
    assert.deepEqual(titlesOf({ ...ANY, text: 'shop.example' }), ['Shop'])
    assert.deepEqual(titlesOf({ ...ANY, status: 'inactive' }), ['archive'])
    assert.deepEqual(titlesOf({ ...ANY, health: 'needs_review' }), ['School'])
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
