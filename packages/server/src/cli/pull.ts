import type { PullMode } from '@recordhub/protocol'
import { SettingError } from '../config/config.ts'
import { toPullScope } from '../features/pulls/request-pull.ts'
import type { CommandContext } from './arguments.ts'
import { findPlatform } from './guide.ts'
import { withStorage } from './open-storage.ts'

/** What the next pull does with the modules, by its mode. */
const EFFECTS: Record<PullMode, string> = {
  auto: 'reads as usual',
  full: 'reads again',
  digest: 'compares by digest',
}

/** `recordhub pull`: works next to a running hub, whose next pull reads the modules in the given mode. */
export async function setNextPullMode({ config, options, print }: CommandContext): Promise<void> {
  const { platform, module } = options
  const mode = parseMode(options['mode'])
  if (platform === undefined && module !== undefined) {
    throw new SettingError('pull: --module requires --platform.')
  }
  const found = platform === undefined ? null : await findPlatform(config, platform)
  const count = await withStorage(config, async ({ platforms, pulls }) => {
    const types = module === undefined ? null : [module]
    const scope = found && (await toPullScope(platforms, found.id, types))
    return pulls.setNextMode(scope, mode)
  })
  print(`Modules that the next pull ${EFFECTS[mode]}: ${count}`)
}

function parseMode(text: string | undefined): PullMode {
  if (text === 'auto' || text === 'full' || text === 'digest') return text
  throw new SettingError('pull: --mode must be auto, full or digest.')
}
