import type { GuideResponse } from '@recordhub/protocol'
import { queryOptions } from '@tanstack/react-query'
import { callHub } from './call-hub.ts'

/** The integration guide: for one platform, or the generic one. */
export function guideQuery(platform: string | undefined) {
  return queryOptions({
    queryKey: ['guide', platform ?? null],
    queryFn: ({ signal }) =>
      callHub<GuideResponse>(`${guidePath(platform)}?format=json`, { signal }),
  })
}

export function guidePath(platform: string | undefined): string {
  return platform
    ? `/api/v1/platforms/${encodeURIComponent(platform)}/instructions`
    : '/api/v1/guide'
}
