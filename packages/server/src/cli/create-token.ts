import { issueToken, readTokenRequest } from '../app/issue-token.ts'
import type { Config } from '../config.ts'
import { withStorage } from './with-storage.ts'

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
  print(await withStorage(config, (storage) => issueToken(storage, request)))
}
