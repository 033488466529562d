/** What the data of records contain: the values of paths in a list, and all paths of a module. */
import { DataFieldsResponse, FacetsResponse, RequestText } from '@recordhub/protocol'
import { Type } from 'typebox'
import { describePaths } from '../../domain/record/data-values.ts'
import { type DataColumn, isDataColumn } from '../../domain/record/record-query.ts'
import { found, HubError, invalidMember } from '../../errors.ts'
import { route } from '../../http/route.ts'
import type { FeatureDeps } from '../feature-deps.ts'
import {
  FIELD_FILTERS,
  FilterParameter,
  ListFilters,
  type ListParameters,
  resolveListQuery,
} from './list-query.ts'
import { SCAN_MS } from './list-records.ts'

const MAX_FACETS = 10
const MAX_PATH_LENGTH = 256
/** A part of the records suffices to find paths. */
const SAMPLE_MS = 1000

/** @throws HubError `invalid_request`; `list_changed`. */
async function countFacets(
  { records }: Pick<FeatureDeps, 'records'>,
  parameters: ListParameters,
  facet: string | string[],
): Promise<FacetsResponse> {
  const columns = [...new Set([facet].flat())].map(toDataColumn)
  if (columns.length > MAX_FACETS) throw invalidMember('facet', `has more than ${MAX_FACETS} paths`)
  const { query, scope } = await resolveListQuery(parameters, (one) => records.readScope(one))
  const counted = await records.countValues({ ...query, columns, scope, scan_ms: SCAN_MS })
  if (counted.outcome === 'changed') throw new HubError('list_changed')
  const { facets, examined, complete } = counted
  return { success: true, facets, examined, complete }
}

function toDataColumn(name: string): DataColumn {
  if (name === '' || name.length > MAX_PATH_LENGTH) {
    throw invalidMember('facet', `must be a path of 1 to ${MAX_PATH_LENGTH} characters`)
  }
  return isDataColumn(name) ? name : `data.${name}`
}

export function valueRoutes(deps: Pick<FeatureDeps, 'records' | 'platforms'>) {
  const { records, platforms } = deps
  return [
    route('GET /api/v1/records/facets', {
      summary: 'Count the values of paths in the records of a list',
      description: `For fields of few values, with the filters of the list. A filter on the path of a facet restricts the other facets only. ${FIELD_FILTERS}`,
      query: {
        facet: Type.Union([RequestText(), Type.Array(RequestText())], {
          description: `A path; repeated for up to ${MAX_FACETS} paths`,
        }),
        ...ListFilters,
      },
      otherQuery: FilterParameter,
      response: FacetsResponse.properties,
      handle: ({ query: { facet, ...parameters } }) => countFacets(deps, parameters, facet),
    }),

    route('GET /api/v1/platforms/:id/modules/:record_type/fields', {
      summary: 'List the paths that the records of a module contain',
      description:
        'With types, examples and labels, from its manifest and from up to 500 of the last changed records.',
      response: DataFieldsResponse.properties,
      async handle({ params: { id, record_type } }) {
        const platform = found('platform', await platforms.readPlatform(id))
        const module = found(
          'module',
          platform.modules.find((one) => one.record_type === record_type),
        )
        const { paths, isWhole, examined, complete } = await records.findPaths({
          platform: platform.platform_name,
          record_type,
          scan_ms: SAMPLE_MS,
        })
        const fields = describePaths(paths, module.fields)
        return { fields, examined, complete: complete && isWhole }
      },
    }),
  ]
}
