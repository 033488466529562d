/** The types of the package `recordhub` as a library: a hub in the process of another program. */
import type { SettingName } from '../config/settings.ts'

/** The settings by name, as in the environment: `{ PORT: '8080', HUB_DATA_DIR: './data' }`. */
export type HubSettings = { readonly [name in SettingName]?: string }

export type RunningHub = {
  address: string
  /** The URL of the second port, for metrics; null without one. */
  metricsAddress: string | null
  setupLink: string | null
  stop: () => Promise<void>
}

/**
 * Starts a hub, and returns once it listens. It reads neither the environment nor an `.env` file.
 * @param options `signal` ends the wait for a database that does not accept connections yet.
 * @throws Error that names an invalid setting, or says why the hub cannot start.
 */
export type StartHub = (
  settings: HubSettings,
  options?: { signal?: AbortSignal },
) => Promise<RunningHub>
