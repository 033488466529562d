/** The types of the package `recordhub` as a library: a hub in the process of another program. */
import type { SettingName } from '../config/settings.ts'

/** The settings by name, as in the environment: `{ PORT: '8080', HUB_DATA_DIR: './data' }`. */
export type HubSettings = { readonly [name in SettingName]?: string }

export type RunningHub = {
  address: string
  /** The URL of the second port, for metrics; null without one. */
  metricsAddress: string | null
  setupLink: string | null
  /**
   * Resolves when a write to the disk of a SQLite database has failed or the database is damaged. From then on, the hub
   * rejects every request. Stop it and exit: only a new process can use the database, which it checks first.
   */
  failed: Promise<Error>
  /** Rejects with the error of `failed` if there is one. */
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
