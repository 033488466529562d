import type { Platform } from '@recordhub/protocol'
import {
  DEFAULT_GUIDE_LANGUAGE,
  GUIDE_LANGUAGES,
  type GuideLanguage,
  isGuideLanguage,
} from '@recordhub/protocol/constants'
import { SettingError } from '../config/config.ts'
import type { Config } from '../config/settings.ts'
import { HubError } from '../errors.ts'
import { readGuide, writeGuide } from '../features/guide/fill-guide.ts'
import type { CommandContext } from './arguments.ts'
import { withStorage } from './open-storage.ts'
import { VERSION } from './version.ts'

/** `recordhub guide`: prints the integration guide, in general or for a platform. Only the latter needs the database. */
export async function printGuide({ config, options, print }: CommandContext): Promise<void> {
  const language = parseLanguage(options['language'])
  const name = options['platform']
  const platform = name === undefined ? null : await findPlatform(config, name)
  const hub = {
    hubUrl: config.HUB_PUBLIC_URL || `http://${hostOf(config.HOST)}:${config.PORT}`,
    platformPath: config.HUB_PLATFORM_PATH,
    tunnelHeader: config.HUB_TUNNEL_HEADER,
    version: VERSION,
  }
  print(writeGuide(readGuide(), hub, { platform, language }).markdown.trimEnd())
}

/** @throws SettingError for an unknown language. */
function parseLanguage(text: string = DEFAULT_GUIDE_LANGUAGE): GuideLanguage {
  if (isGuideLanguage(text)) return text
  throw new SettingError(
    `guide: --language must be one of ${Object.keys(GUIDE_LANGUAGES).join(', ')}.`,
  )
}

/** Finds a platform by its name, or else by its ID. */
export function findPlatform(config: Config, nameOrId: string): Promise<Platform> {
  return withStorage(config, async ({ platforms }) => {
    const all = await platforms.listPlatforms()
    const summary =
      all.find(({ platform_name }) => platform_name === nameOrId) ??
      all.find(({ id }) => String(id) === nameOrId)
    const found = summary && (await platforms.readPlatform(summary.id))
    if (!found) throw new HubError('not_found', { what: `platform "${nameOrId}"` })
    return found
  })
}

function hostOf(host: string): string {
  return host.includes(':') ? `[${host}]` : host
}
