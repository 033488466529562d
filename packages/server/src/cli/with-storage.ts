import type { Config } from '../config.ts'
import { openStorage } from '../storage/open.ts'

export type Storage = Awaited<ReturnType<typeof openStorage>>

/** Opens the hub's database for a command that may run beside the hub, and closes it in any case. */
export async function withStorage<Result>(
  config: Config,
  use: (storage: Storage) => Promise<Result>,
): Promise<Result> {
  const storage = await openStorage({
    url: config.DATABASE_URL,
    dataDir: config.HUB_DATA_DIR,
    asHub: false,
    timeZone: config.HUB_TIME_ZONE,
    // What goes wrong ends the command and is told then.
    warn: () => undefined,
  })
  try {
    return await use(storage)
  } finally {
    await storage.close()
  }
}
