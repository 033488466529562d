import { SettingError } from '../config/config.ts'
import { toPullScope } from '../features/pulls/request-pull.ts'
import type { CommandContext } from './arguments.ts'
import { findPlatform } from './guide.ts'
import { withStorage } from './open-storage.ts'

/** `recordhub pull full`: works next to a running hub, whose next pull reads the modules without ETag and Last-Modified. */
export async function requireFullReads({ config, options, print }: CommandContext): Promise<void> {
  const { platform, module } = options
  if (platform === undefined && module !== undefined) {
    throw new SettingError('pull full: --module requires --platform.')
  }
  const found = platform === undefined ? null : await findPlatform(config, platform)
  const count = await withStorage(config, async ({ platforms, pulls }) => {
    const types = module === undefined ? null : [module]
    const scope = found && (await toPullScope(platforms, found.id, types))
    return pulls.requireFullReads(scope)
  })
  print(`Modules whose records the next pull reads again: ${count}`)
}
