import type { Platform } from '@recordhub/protocol'
import { guideOfConfig, readGuideLanguage } from '../app/guide-of-config.ts'
import type { Config } from '../config.ts'
import { HubError } from '../errors.ts'
import { VERSION } from './version.ts'
import { withStorage } from './with-storage.ts'

/** `recordhub guide`: works beside a running hub, and without one where no platform is named. */
export async function printGuide(
  config: Config,
  options: Record<string, string>,
  print: (line: string) => void,
): Promise<void> {
  const language = readGuideLanguage(options['language'])
  const asked = options['platform']
  const platform = asked === undefined ? null : await findPlatform(config, asked)
  print(guideOfConfig(config, VERSION, platform, language).trimEnd())
}

/** By its name, else by its id. */
function findPlatform(config: Config, asked: string): Promise<Platform> {
  return withStorage(config, async ({ platforms }) => {
    const all = await platforms.listPlatforms()
    const found =
      all.find(({ platform_name }) => platform_name === asked) ??
      all.find(({ id }) => String(id) === asked)
    if (!found) throw new HubError('not_found', { what: `platform "${asked}"` })
    return found
  })
}
