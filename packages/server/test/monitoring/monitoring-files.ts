/** The files of `deploy/` for Prometheus and Grafana. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const DEPLOY = new URL('../../../../deploy/', import.meta.url)
export const PROMETHEUS_FOLDER: string = fileURLToPath(new URL('prometheus/', DEPLOY))
export const RULES_FILE = 'recordhub.rules.yml'
export const RULES_TEST_FILE = 'recordhub.rules.test.yml'

const METRIC = /\b(?:recordhub|nodejs|process)_[a-z0-9_]+\b/g

type Panel = { title: string; targets?: { expr: string }[] }

/** The expressions of the dashboard, with the title of their panel. */
export function listPanelExpressions(): { title: string; expr: string }[] {
  const text = readFileSync(new URL('grafana/recordhub.json', DEPLOY), 'utf8')
  const { panels }: { panels: Panel[] } = JSON.parse(text)
  return panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ title, expr })))
}

export function readRules(): string {
  return readFileSync(new URL(`prometheus/${RULES_FILE}`, DEPLOY), 'utf8')
}

/** The names of metrics in expressions or rules, in alphabetical order. */
export function metricsIn(text: string): string[] {
  return [...new Set(text.match(METRIC))].toSorted()
}
