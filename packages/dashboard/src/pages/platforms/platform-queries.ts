import type {
  DriftAnswer,
  ModuleCompleteness,
  Platform,
  PlatformDetails,
  RejectedPush,
} from '@recordhub/protocol'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { callHub } from '../../api/call-hub.ts'

const LIVE = { live: true } as const

export function usePlatforms() {
  return useQuery({
    queryKey: ['platforms'],
    queryFn: ({ signal }) =>
      callHub<{ platforms: Platform[] }>('/api/v1/platforms', { signal }).then(
        (answer) => answer.platforms,
      ),
    meta: LIVE,
  })
}

export function usePlatform(id: number | string) {
  return useQuery({
    queryKey: ['platforms', String(id)],
    queryFn: ({ signal }) =>
      callHub<{ platform: PlatformDetails }>(`/api/v1/platforms/${id}`, { signal }).then(
        (answer) => answer.platform,
      ),
    meta: LIVE,
  })
}

export function useDrift(id: number) {
  return useQuery({
    queryKey: ['platforms', String(id), 'drift'],
    queryFn: ({ signal }) => callHub<DriftAnswer>(`/api/v1/platforms/${id}/drift`, { signal }),
    meta: LIVE,
  })
}

/** By record type; only registered modules have one. */
export function useCompleteness(platformName: string) {
  return useQuery({
    queryKey: ['platforms', platformName, 'completeness'],
    queryFn: async ({ signal }) => {
      const query = new URLSearchParams({ platform: platformName })
      const page = await callHub<CompletenessAnswer>(`/api/v1/completeness?${query}`, { signal })
      return new Map(page.modules.map((module) => [module.record_type, module]))
    },
    meta: LIVE,
  })
}
type CompletenessAnswer = { modules: ModuleCompleteness[] }

export function useRejected(platformName: string, limit: number) {
  return useQuery({
    queryKey: ['platforms', platformName, 'rejected', limit],
    queryFn: ({ signal }) => {
      const query = new URLSearchParams({ platform: platformName, limit: String(limit) })
      return callHub<{ rejected_pushes: RejectedPush[] }>(`/api/v1/rejected-pushes?${query}`, {
        signal,
      }).then((answer) => answer.rejected_pushes)
    },
    meta: LIVE,
  })
}

/** Has everything about platforms asked for again, after a change. */
export function useRefreshPlatforms(): () => Promise<void> {
  const client = useQueryClient()
  return () => client.invalidateQueries({ queryKey: ['platforms'] })
}
