/** Scrapes of a hub, as Prometheus reads them. */
import assert from 'node:assert/strict'
import type { TestHub } from './hub.ts'

export const METRICS_TOKEN = 'the token of a test scraper, 0123456789'
export const WITH_METRICS = { HUB_METRICS_TOKEN: METRICS_TOKEN }

/** The value of each series by its name with labels, such as `recordhub_pushes_total{outcome="created"}`. */
export type Scrape = ReadonlyMap<string, number>

export async function scrape(hub: Pick<TestHub, 'send'>): Promise<Scrape> {
  const headers = { authorization: `Bearer ${METRICS_TOKEN}` }
  const response = await hub.send({ url: '/metrics', headers })
  assert.equal(response.status, 200, response.text)
  assert.equal(response.header('content-type'), 'text/plain; version=0.0.4; charset=utf-8')
  return parseScrape(response.text)
}

/** Scrapes a hub in another process. */
export async function scrapeProcess({ address }: { address: string }): Promise<Scrape> {
  const headers = { authorization: `Bearer ${METRICS_TOKEN}` }
  const response = await fetch(`${address}/metrics`, { headers })
  return parseScrape(await response.text())
}

/** @throws AssertionError for a line that is not a sample, a type or a help text, and for a repeated series. */
export function parseScrape(text: string): Scrape {
  const series = new Map<string, number>()
  for (const line of text.trimEnd().split('\n')) {
    if (/^# (?:HELP [a-z]\w+ .+|TYPE [a-z]\w+ (?:counter|gauge|histogram))$/.test(line)) continue
    const [, name = '', value = ''] = /^(\w+(?:\{.*\})?) (\S+)$/.exec(line) ?? assert.fail(line)
    assert.ok(!series.has(name), `${name} is there twice`)
    series.set(name, Number(value))
  }
  return series
}

/** The names of the metrics: those of a histogram end with `_bucket`, `_sum` and `_count`. */
export function namesOf(scraped: Scrape): Set<string> {
  return new Set([...scraped.keys()].map((series) => series.replace(/\{.*/s, '')))
}
