/** What would fail at the end of a long command is tried at its beginning. */
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { createServer } from 'node:net'
import { SettingError } from '../config.ts'
import { codeOf } from '../platform-client/request/request-error.ts'

/** @throws SettingError where the file cannot be written. What is in it stays. */
export function checkWritable(flag: string, file: string): void {
  try {
    closeSync(openSync(file, 'a'))
  } catch (error) {
    throw new SettingError(`${flag}: "${file}" cannot be written (${codeOf(error)}).`)
  }
}

/** @throws SettingError where nobody can listen there. */
export async function checkPortFree(port: number, host: string): Promise<void> {
  const server = createServer().listen(port, host)
  try {
    await once(server, 'listening')
  } catch (error) {
    throw new SettingError(
      `--host, --port: nothing can listen at ${host}, port ${port} (${codeOf(error)}).`,
    )
  }
  server.close()
  await once(server, 'close')
}
