import type { GuideResponse } from '@recordhub/protocol'
import { DEFAULT_GUIDE_LANGUAGE, type GuideLanguage } from '@recordhub/protocol/constants'
import { queryOptions } from '@tanstack/react-query'
import { callHub } from './call-hub.ts'

/** The integration guide for one platform, or the generic one, with its examples in one language. */
export function guideQuery(platform: string | undefined, language = DEFAULT_GUIDE_LANGUAGE) {
  return queryOptions({
    queryKey: ['guide', platform ?? null, language],
    queryFn: ({ signal }) =>
      callHub<GuideResponse>(`${guidePath(platform, language)}&format=json`, { signal }),
    // Another language changes only the examples.
    placeholderData: (last, query) =>
      query?.queryKey[1] === (platform ?? null) ? last : undefined,
  })
}

export function guidePath(platform: string | undefined, language: GuideLanguage): string {
  const path = platform
    ? `/api/v1/platforms/${encodeURIComponent(platform)}/instructions`
    : '/api/v1/guide'
  return `${path}?language=${language}`
}
