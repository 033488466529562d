import { issueToken } from '../app.ts'
import { type Config, SettingError } from '../config.ts'
import { openStorage } from '../storage/open.ts'

/** `recordhub token create`: works beside a running hub. Prints the token and nothing else. */
export async function createToken(
  config: Config,
  options: Record<string, string>,
  print: (line: string) => void,
): Promise<void> {
  const { name, role = 'viewer' } = options
  if (!name) throw new SettingError('token create: say what the token is for with --name.')
  const storage = await openStorage({
    url: config.DATABASE_URL,
    dataDir: config.HUB_DATA_DIR,
    asHub: false,
    timeZone: config.HUB_TIME_ZONE,
  })
  try {
    const expiresInDays = options['expires-in-days'] ?? null
    print(await issueToken(storage, { name, role, expiresInDays }))
  } finally {
    await storage.close()
  }
}
