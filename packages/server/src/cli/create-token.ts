import { issueToken, readTokenRequest } from '../app/issue-token.ts'
import type { Config } from '../config.ts'
import { openStorage } from '../storage/open.ts'

/** `recordhub token create`: works beside a running hub. Prints the token and nothing else. */
export async function createToken(
  config: Config,
  options: Record<string, string>,
  print: (line: string) => void,
): Promise<void> {
  const request = readTokenRequest({
    name: options['name'],
    role: options['role'] ?? 'viewer',
    expiresInDays: options['expires-in-days'],
  })
  const storage = await openStorage({
    url: config.DATABASE_URL,
    dataDir: config.HUB_DATA_DIR,
    asHub: false,
    timeZone: config.HUB_TIME_ZONE,
    // What goes wrong ends the command and is told then.
    warn: () => undefined,
  })
  try {
    print(await issueToken(storage, request))
  } finally {
    await storage.close()
  }
}
