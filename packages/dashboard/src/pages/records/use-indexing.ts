import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { type IndexedField, indexedFieldsQuery, setIndexedFields } from '../../api/platforms.ts'
import { attempt, notify } from '../../components/confirm.tsx'
import type { ListedModule } from './columns.ts'

/** The indexed fields of a module, and a function that adds one. */
export function useIndexing(listed: ListedModule | null): {
  indexed: IndexedField[]
  index: (key: string) => Promise<void>
  isSending: boolean
} {
  const module = listed && {
    platformId: listed.platform.id,
    recordType: listed.module.record_type,
  }
  const { data } = useQuery(indexedFieldsQuery(module))
  const client = useQueryClient()
  const [isSending, setSending] = useState(false)
  const indexed = data?.fields ?? []
  async function index(key: string): Promise<void> {
    if (!module) return
    setSending(true)
    const keys = [...indexed.map((field) => field.key), key]
    const isDone = await attempt(() => setIndexedFields(client, module, keys))
    setSending(false)
    if (isDone) notify('The index is being built. Sorting and filtering are fast when it is ready.')
  }
  return { indexed, index, isSending: isSending }
}
