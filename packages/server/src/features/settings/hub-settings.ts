/** The settings of the hub while it runs: those of the environment, and those that admins store in the database. */
import type { Setting } from '@recordhub/protocol'
import type { FastifyBaseLogger } from 'fastify'
import { applyStored, type GivenSettings } from '../../config/config.ts'
import { cronPatternOf } from '../../config/feature-settings.ts'
import {
  type Config,
  formatSetting,
  SETTINGS,
  STORABLE_SETTINGS,
  type StorableSetting,
} from '../../config/settings.ts'
import type { FollowSchedule } from '../../lib/time/cron.ts'
import { aborted, runPeriodically } from '../../lib/time/run-periodically.ts'
import type { Storage } from '../../storage/port/storage.ts'

/** How soon a change takes effect on the other nodes. */
const REFRESH_MS = 5000

export type HubSettings = ReturnType<typeof createHubSettings>

export function createHubSettings(deps: {
  config: Config
  /** The settings of flags and variables, which stored ones do not replace. */
  given: GivenSettings
  settings: Storage['settings']
  log: Pick<FastifyBaseLogger, 'warn'>
}) {
  const { given, settings, log } = deps
  const config = { ...deps.config }
  const live: Config = config
  const listeners = new Set<() => void>()
  let applied: ReadonlySet<StorableSetting> = new Set()
  let logged = ''
  let started = 0
  let newest = 0

  /** Applies what is stored now, and returns it. Of concurrent calls, the one that began last decides. */
  async function refresh() {
    started += 1
    const turn = started
    const stored = await settings.listSettings()
    if (turn < newest) return stored
    newest = turn
    const found = applyStored({ config: deps.config, given }, stored)
    Object.assign(config, found.config)
    applied = found.applied
    const invalid = found.invalid.join(' ')
    if (invalid !== logged && invalid !== '') log.warn({ invalid }, 'a stored setting is invalid')
    logged = invalid
    for (const listener of listeners) listener()
    return stored
  }

  const followSchedule: FollowSchedule = async (name, signal, run) => {
    while (!signal.aborted) {
      const setting = config[name]
      const changed = new AbortController()
      const listener = () => config[name] !== setting && changed.abort()
      listeners.add(listener)
      const unchanged = AbortSignal.any([signal, changed.signal])
      const pattern = cronPatternOf(setting)
      try {
        await (pattern === null ? aborted(unchanged) : run(pattern, unchanged))
      } finally {
        listeners.delete(listener)
      }
    }
  }

  return {
    /** Its values follow the stored settings: read a value when it is needed, and never copy it. */
    config: live,
    refresh,
    followSchedule,

    /** Returns each setting that can be stored, as text, and where its value comes from. */
    async list(): Promise<Setting[]> {
      const stored = await refresh()
      return STORABLE_SETTINGS.map((name) => {
        const source = given.has(name) ? 'environment' : applied.has(name) ? 'stored' : 'default'
        const row = source === 'stored' ? stored.find((one) => one.name === name) : undefined
        return {
          name,
          value: formatSetting(config[name]),
          default: formatSetting(SETTINGS[name].default),
          help: SETTINGS[name].help,
          source,
          changed_at: row?.changed_at ?? null,
          changed_by: row?.changed_by ?? null,
        }
      })
    },

    /** Applies the changes of other nodes until the signal. */
    runJobs: (signal: AbortSignal): Promise<void> =>
      runPeriodically(
        REFRESH_MS,
        signal,
        async () => void (await refresh()),
        (error) => log.warn({ err: error }, 'the stored settings could not be read'),
      ),
  }
}
