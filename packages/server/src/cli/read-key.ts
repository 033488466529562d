import { readSourceKey, SOURCE_KEY_VARIABLE } from '../config/environment.ts'
import { SettingError } from '../config.ts'
import { promptSecret } from './prompt-secret.ts'

/**
 * A platform's key from its variable, else from standard input.
 * @throws SettingError where there is none.
 */
export async function readKey(complain: (line: string) => void): Promise<string> {
  const ask = () => complain('Source API key of the platform (it is not shown):')
  const key = readSourceKey() ?? (await promptSecret(ask)).trim()
  if (key !== '') return key
  throw new SettingError(
    `check-platform: there is no key. Give it by --key, ${SOURCE_KEY_VARIABLE} or standard input.`,
  )
}
