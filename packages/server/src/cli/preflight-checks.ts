/** Checks at the start of a long command for errors that would otherwise occur at its end. */
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { createServer } from 'node:net'
import { SettingError } from '../config/config.ts'
import { codeOf } from '../platform-client/request/request-error.ts'

/** Does not change the file. @throws SettingError if it cannot be written. */
export function checkWritable(flag: string, file: string): void {
  try {
    closeSync(openSync(file, 'a'))
  } catch (error) {
    throw new SettingError(`${flag}: "${file}" cannot be written (${codeOf(error)}).`)
  }
}

/** @throws SettingError if no server can listen there. */
export async function checkPortFree(port: number, host: string): Promise<void> {
  const server = createServer().listen(port, host)
  try {
    await once(server, 'listening')
  } catch (error) {
    throw new SettingError(
      `--host, --port: cannot listen at ${host}, port ${port} (${codeOf(error)}).`,
    )
  }
  server.close()
  await once(server, 'close')
}
