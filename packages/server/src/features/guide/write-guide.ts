import type { GuideResponse, Platform } from '@recordhub/protocol'
import { fillGuide, type HubValues } from './fill-guide.ts'
import { examplePush, exampleRecordType, makeExamples } from './make-examples.ts'

/**
 * The guide for a registered platform, or the generic guide: the same text for the page, the download and the command
 * line. It contains no keys.
 */
export function writeGuide(
  sections: readonly string[],
  hub: HubValues,
  platform: Platform | null,
): GuideResponse {
  const values = platform && {
    title: platform.display_title,
    recordType: exampleRecordType(platform),
    examples: makeExamples(platform),
  }
  return {
    success: true,
    platform_name: platform?.platform_name ?? null,
    file_name: nameFile(platform),
    markdown: fillGuide(sections, hub, values),
    first_push: platform && firstPushOf(platform, hub),
  }
}

function firstPushOf(
  platform: Platform,
  { hubUrl, tunnelHeader }: HubValues,
): GuideResponse['first_push'] {
  const record = examplePush(platform)
  return record && { hub_url: hubUrl, tunnel_header: tunnelHeader, record }
}

function nameFile(platform: Platform | null): string {
  const name = platform?.platform_name.replaceAll(/[^A-Za-z0-9_-]+/g, '-').slice(0, 60)
  return `integration-guide${name ? `-${name}` : ''}.md`
}
