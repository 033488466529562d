import type { TokenScope } from '@recordhub/protocol'
import { SettingError } from '../config/config.ts'
import type { Config } from '../config/settings.ts'
import { createToken as create, parseRole } from '../features/operators/manage-operators.ts'
import { withStorage } from './open-storage.ts'

/** `recordhub token create`: works next to a running hub. Prints only the token. */
export async function createToken(
  config: Config,
  options: Record<string, string>,
  print: (line: string) => void,
): Promise<void> {
  const { name, role = 'viewer', scope, 'expires-in-days': days } = options
  if (!name) throw new SettingError('token create: --name is missing; see --help.')
  if (days !== undefined && !/^[1-9]\d{0,4}$/.test(days)) {
    throw new SettingError('token create: --expires-in-days must be a whole number from 1.')
  }
  const expiresInDays = days === undefined ? null : Number(days)
  const request = { name, role: parseRole(role), scope: parseScope(scope), expiresInDays }
  print(await withStorage(config, (storage) => create(storage, request)))
}

/** @throws SettingError for an unknown scope. */
function parseScope(text: string | undefined): TokenScope | null {
  if (text === undefined) return null
  if (text === 'alerts' || text === 'hub_keys' || text === 'access') return text
  throw new SettingError('token create: --scope must be alerts, hub_keys or access.')
}
