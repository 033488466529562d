import type { PlatformSummary } from '@recordhub/protocol'
import { useQuery } from '@tanstack/react-query'
import { callHub } from '../../api/call-hub.ts'

/** All platforms, for filters, and for links to them by their names. */
export function usePlatforms() {
  const { data } = useQuery({
    queryKey: ['platforms', 'names'],
    queryFn: ({ signal }) =>
      callHub<{ platforms: PlatformSummary[] }>('/api/v1/platforms', { signal }),
    staleTime: 60_000,
  })
  const platforms = data?.platforms ?? []
  return {
    choices: platforms.map(({ platform_name, display_title }) => ({
      value: platform_name,
      label: display_title,
    })),
    find: (name: string | null) => platforms.find((one) => one.platform_name === name),
  }
}
