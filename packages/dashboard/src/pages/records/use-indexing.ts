import { MAX_INDEXED_FIELDS } from '@recordhub/protocol/constants'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { indexedFieldsQuery, setIndexedFields } from '../../api/platforms.ts'
import { notify, useAttempt } from '../../components/confirm.tsx'
import { useHasRole } from '../../lib/use-has-role.ts'
import { type Column, type ListedModule, pathOfColumn } from './columns.ts'

export type Indexing = ReturnType<typeof useIndexing>

/** The indexed fields of a module, and what adds one. Null for a list of several modules. */
export function useIndexing(listed: ListedModule | null) {
  const module = listed && {
    platformId: listed.platform.id,
    recordType: listed.module.record_type,
  }
  const { data } = useQuery(indexedFieldsQuery(module))
  const client = useQueryClient()
  const isOperator = useHasRole('operator')
  const { isBusy, run } = useAttempt()
  const indexed = data?.fields ?? []
  const fieldOf = (column: Column) => indexed.find(({ key }) => key === pathOfColumn(column))
  /** The hub's own columns are always indexed. */
  const isUnindexed = (column: Column) =>
    module !== null && pathOfColumn(column) !== null && !fieldOf(column)
  const canIndex = (column: Column) =>
    isOperator && isUnindexed(column) && indexed.length < MAX_INDEXED_FIELDS
  async function index(column: Column): Promise<void> {
    const key = pathOfColumn(column)
    if (!module || key === null) return
    const keys = [...indexed.map((field) => field.key), key]
    if (await run(() => setIndexedFields(client, module, keys))) {
      notify('The index is being built. Sorting and filtering are fast when it is ready.')
    }
  }
  return { indexed, fieldOf, isUnindexed, canIndex, index, isSending: isBusy }
}
