import type {
  DriftResponse,
  ListedModule,
  PlatformDetails,
  PlatformPull,
  PlatformSummary,
  Removal,
} from '@recordhub/protocol'
import { type QueryClient, queryOptions, skipToken, useQuery } from '@tanstack/react-query'
import { callHub } from './call-hub.ts'
import { callAllPages, cursorPagesQuery, LIVE } from './queries.ts'

const PLATFORMS = { queryKey: ['platforms'] } as const
/** The refetch interval while an index is being built. */
const BUILDING_MS = 2000
/** The refetch interval while records are being deleted. */
const REMOVING_MS = 2000

/** All platforms by title, without their modules. */
export function usePlatforms() {
  return useQuery(platformsQuery())
}

/** The modules of a platform, or of all; none until they are loaded. */
export function useModules(platform: string | null = null): ListedModule[] {
  return useQuery(modulesQuery(platform)).data ?? []
}

/** Looks up the titles of platforms and modules by their names. Unknown names are returned unchanged. */
export function useTitles() {
  const { data: platforms = [] } = usePlatforms()
  return {
    ofPlatform: (name: string) =>
      platforms.find((one) => one.platform_name === name)?.display_title ?? name,
  }
}

function platformsQuery() {
  return queryOptions({
    queryKey: [...PLATFORMS.queryKey, 'list'],
    queryFn: async ({ signal }) => {
      const path = '/api/v1/platforms'
      const all = await callAllPages<PlatformSummary>(path, { member: 'platforms', signal })
      return all.toSorted((one, other) => one.display_title.localeCompare(other.display_title))
    },
    meta: LIVE,
  })
}

export function modulesQuery(platform: string | null) {
  return queryOptions({
    queryKey: [...PLATFORMS.queryKey, 'modules', platform],
    queryFn: ({ signal }) => {
      const filter = platform === null ? {} : { platform }
      return callAllPages<ListedModule>('/api/v1/modules', { filter, member: 'modules', signal })
    },
    meta: LIVE,
  })
}

export function platformQuery(id: number | string) {
  return queryOptions({
    queryKey: [...PLATFORMS.queryKey, 'details', String(id)],
    queryFn: async ({ signal }) => {
      const path = `/api/v1/platforms/${id}`
      return (await callHub<{ platform: PlatformDetails }>(path, { signal })).platform
    },
    meta: LIVE,
  })
}

export function driftQuery(id: number) {
  return queryOptions({
    queryKey: [...PLATFORMS.queryKey, 'drift', id],
    queryFn: ({ signal }) => callHub<DriftResponse>(`/api/v1/platforms/${id}/drift`, { signal }),
    meta: LIVE,
  })
}

export function platformPullsQuery(id: number) {
  return cursorPagesQuery<PlatformPull>([...PLATFORMS.queryKey, 'pulls', String(id)], {
    path: `/api/v1/platforms/${id}/pulls`,
    member: 'pulls',
  })
}

/** A platform that a link refers to, by its id or its name. */
export type LinkedPlatform = { platform_id: string } | { platform: string }

/** The removal of a platform; null if it was not removed. Disabled for null. */
export function platformRemovalQuery(platform: LinkedPlatform | null) {
  return queryOptions({
    queryKey: [...PLATFORMS.queryKey, 'removal', platform],
    queryFn:
      platform === null
        ? skipToken
        : async ({ signal }) => {
            const path = `/api/v1/removals?${new URLSearchParams(platform)}`
            const { removals } = await callHub<{ removals: Removal[] }>(path, { signal })
            return removals[0] ?? null
          },
    meta: LIVE,
  })
}

/** Background deletions that have not finished. */
export function removalsQuery() {
  return queryOptions({
    queryKey: [...PLATFORMS.queryKey, 'removals'],
    queryFn: async ({ signal }) => {
      const { removals } = await callHub<{ removals: Removal[] }>('/api/v1/removals', { signal })
      return removals.filter((removal) => removal.finished_at === null)
    },
    refetchInterval: ({ state }) => (state.data?.length ? REMOVING_MS : false),
    meta: LIVE,
  })
}

type ModuleRef = { platformId: number; recordType: string }
export type IndexedField = { key: string; is_built: boolean }
type IndexedFields = { fields: IndexedField[] }

/** The indexed fields of a module. Disabled for null. */
export function indexedFieldsQuery(module: ModuleRef | null) {
  return queryOptions({
    queryKey: [
      ...PLATFORMS.queryKey,
      'indexed fields',
      module?.platformId ?? null,
      module?.recordType ?? null,
    ],
    queryFn:
      module === null
        ? skipToken
        : ({ signal }) => callHub<IndexedFields>(indexedFieldsPath(module), { signal }),
    refetchInterval: ({ state }) =>
      state.data?.fields.some((field) => !field.is_built) ? BUILDING_MS : false,
    meta: LIVE,
  })
}

/** Sets the indexed fields of a module. @throws HubCallError */
export async function setIndexedFields(
  client: QueryClient,
  module: ModuleRef,
  keys: string[],
): Promise<void> {
  const body = { fields: keys }
  const indexed = await callHub<IndexedFields>(indexedFieldsPath(module), { method: 'PUT', body })
  client.setQueryData(indexedFieldsQuery(module).queryKey, indexed)
}

function indexedFieldsPath({ platformId, recordType }: ModuleRef): string {
  return `/api/v1/platforms/${platformId}/modules/${encodeURIComponent(recordType)}/indexed-fields`
}
