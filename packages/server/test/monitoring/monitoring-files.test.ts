/** Compares the dashboard, the alert rules and the documentation with the metrics of a hub. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { before, describe, test } from 'node:test'
import { shareHub } from '../helpers/hub/describe-hub.ts'
import { namesOf, scrape, WITH_METRICS } from '../helpers/hub/scrape.ts'
import { simulatePlatform } from '../helpers/platform/platform.ts'
import { sqliteEngine } from '../helpers/storage/sqlite.ts'
import { listPanelExpressions, metricsIn, readRules } from './monitoring-files.ts'

const DOCUMENT = new URL('../../../../docs/monitoring.md', import.meta.url)

describe('the files for Prometheus and Grafana', () => {
  // Nothing listens at the address of the collector.
  const env = { ...WITH_METRICS, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' }
  const hub = shareHub(sqliteEngine, { env, withThreads: true })
  let names = new Set<string>()
  before(async () => {
    // Of a platform that was never pulled, there is no time of the last pull.
    await using platform = await simulatePlatform()
    await hub.register(platform)
    await hub.pullAll()
    names = namesOf(await scrape(hub))
  })

  test('every panel of the dashboard shows metrics that exist', () => {
    const panels = listPanelExpressions()
    assert.ok(panels.length > 40)
    for (const { title, expr } of panels) {
      const unknown = metricsIn(expr).filter((name) => !names.has(name))
      assert.deepEqual(unknown, [], title)
    }
  })

  test('every alert rule uses metrics that exist', () => {
    const used = metricsIn(readRules())
    assert.ok(used.length > 10)
    assert.deepEqual(
      used.filter((name) => !names.has(name)),
      [],
    )
  })

  test('the documentation has all metrics and no others', () => {
    const documented = metricsIn(
      readFileSync(DOCUMENT, 'utf8')
        .split('\n')
        .filter((line) => line.startsWith('| `'))
        .map((line) => line.split('|')[1] ?? '')
        .join('\n'),
    )
    const families = [...names].map((name) => name.replace(/_(?:bucket|sum|count)$/, ''))
    assert.deepEqual(documented, [...new Set(families)].toSorted())
  })
})
