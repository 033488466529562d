/** The integration guide, as the command line prints it. */
import type { Platform } from '@recordhub/protocol'
import { GUIDE_LANGUAGES } from '@recordhub/protocol/constants'
import type { Config } from '../config.ts'
import { HubError } from '../errors.ts'
import {
  type GuideLanguage,
  isGuideLanguage,
  keepLanguage,
} from '../features/guide/keep-language.ts'
import { readGuide } from '../features/guide/read-guide.ts'
import { writeGuide } from '../features/guide/write-guide.ts'

/** @throws HubError `invalid_request` for a word that is none, naming those that are. */
export function readGuideLanguage(word: string | undefined): GuideLanguage | null {
  if (word === undefined || isGuideLanguage(word)) return word ?? null
  const reason = `--language must be one of ${Object.keys(GUIDE_LANGUAGES).join(', ')}`
  throw new HubError('invalid_request', { reason })
}

/** The guide in Markdown, for any platform where there is none, in every language where none is chosen. */
export function guideOfConfig(
  config: Config,
  version: string,
  platform: Platform | null,
  language: GuideLanguage | null,
): string {
  const hubUrl = config.HUB_PUBLIC_URL || `http://${hostOf(config.HOST)}:${config.PORT}`
  const hub = {
    hubUrl,
    platformPath: config.HUB_PLATFORM_PATH,
    tunnelHeader: config.HUB_TUNNEL_HEADER,
    version,
  }
  const { markdown } = writeGuide(readGuide(), hub, platform)
  return language ? keepLanguage(markdown, language) : markdown
}

function hostOf(host: string): string {
  return host.includes(':') ? `[${host}]` : host
}
