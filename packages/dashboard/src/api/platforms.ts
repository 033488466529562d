import type {
  DriftResponse,
  ListedModule,
  PlatformDetails,
  PlatformPull,
  PlatformSummary,
  Removal,
} from '@recordhub/protocol'
import { type QueryClient, queryOptions, useQuery } from '@tanstack/react-query'
import { callHub } from './call-hub.ts'
import { addressOf, getQuery } from './get-query.ts'
import { callAllPages, cursorPagesQuery, LIVE } from './queries.ts'

const PLATFORMS = { queryKey: ['platforms'] } as const
/** The refetch interval while an index is being built. */
const BUILDING_MS = 2000
/** The refetch interval while records are being deleted. */
const REMOVING_MS = 2000

/**
 * All platforms by title, without their modules.
 * @param props.live for a page that shows their state. Titles and links change too rarely to read all platforms again
 * at every change.
 */
export function usePlatforms({ live = false } = {}) {
  return useQuery({
    queryKey: [...PLATFORMS.queryKey, 'list', live],
    queryFn: async ({ signal }) => {
      const path = '/api/v1/platforms'
      const all = await callAllPages<PlatformSummary>(path, { member: 'platforms', signal })
      return all.toSorted((one, other) => one.display_title.localeCompare(other.display_title))
    },
    ...(live ? { meta: LIVE } : {}),
  })
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
  const options = { params: { id: String(id) }, live: true } as const
  return {
    ...getQuery<{ platform: PlatformDetails }>('GET /api/v1/platforms/:id', options),
    select: ({ platform }: { platform: PlatformDetails }) => platform,
  }
}

export function driftQuery(id: number) {
  const options = { params: { id }, live: true } as const
  return getQuery<DriftResponse>('GET /api/v1/platforms/:id/drift', options)
}

export function platformPullsQuery(id: number) {
  return cursorPagesQuery<PlatformPull>([...PLATFORMS.queryKey, 'pulls', String(id)], {
    path: `/api/v1/platforms/${id}/pulls`,
    member: 'pulls',
  })
}

/** A platform that a link refers to, by its id or its name. */
export type LinkedPlatform = { platform_id: string } | { platform: string }

const REMOVALS = 'GET /api/v1/removals'
type RemovalPage = { removals: Removal[] }

/** The removal of a platform; null if it was not removed. */
export function platformRemovalQuery(query: LinkedPlatform) {
  return {
    ...getQuery<RemovalPage>(REMOVALS, { query, live: true }),
    select: ({ removals }: RemovalPage) => removals[0] ?? null,
  }
}

/** Background deletions that have not finished. */
export function removalsQuery() {
  const unfinished = ({ removals }: RemovalPage) =>
    removals.filter(({ finished_at }) => finished_at === null)
  return queryOptions({
    ...getQuery<RemovalPage>(REMOVALS, { live: true }),
    select: unfinished,
    refetchInterval: ({ state }) =>
      state.data && unfinished(state.data).length > 0 ? REMOVING_MS : false,
  })
}

type ModuleRef = { platformId: number; recordType: string }
type IndexedFields = { fields: { key: string; is_built: boolean }[] }
const INDEXED_FIELDS = 'GET /api/v1/platforms/:id/modules/:record_type/indexed-fields'

/** The indexed fields of a module. Disabled for null. */
export function indexedFieldsQuery(module: ModuleRef | null) {
  const { platformId: id = 0, recordType: record_type = '' } = module ?? {}
  return queryOptions({
    ...getQuery<IndexedFields>(INDEXED_FIELDS, { params: { id, record_type }, live: true }),
    refetchInterval: ({ state }) =>
      state.data?.fields.some((field) => !field.is_built) ? BUILDING_MS : false,
    enabled: module !== null,
  })
}

/** Sets the indexed fields of a module. @throws HubCallError */
export async function setIndexedFields(
  client: QueryClient,
  module: ModuleRef,
  keys: string[],
): Promise<void> {
  const params = { id: module.platformId, record_type: module.recordType }
  const call = { method: 'PUT', body: { fields: keys } } as const
  const indexed = await callHub<IndexedFields>(addressOf(INDEXED_FIELDS, params, {}), call)
  client.setQueryData(indexedFieldsQuery(module).queryKey, indexed)
}
