import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { type IndexedField, indexedFieldsQuery, setIndexedFields } from '../../api/platforms.ts'
import { attempt, tell } from '../../components/confirm.tsx'
import type { Place } from './columns.ts'

/** The indexed fields of a module, and a way to have one more. */
export function useIndexing(place: Place | null): {
  indexed: IndexedField[]
  index: (key: string) => Promise<void>
  isAsking: boolean
} {
  const module = place && {
    platformId: place.platform.id,
    recordType: place.module.record_type,
  }
  const { data } = useQuery(indexedFieldsQuery(module))
  const client = useQueryClient()
  const [isAsking, setAsking] = useState(false)
  const indexed = data?.fields ?? []
  async function index(key: string): Promise<void> {
    if (!module) return
    setAsking(true)
    const keys = [...indexed.map((field) => field.key), key]
    const isDone = await attempt(() => setIndexedFields(client, module, keys))
    setAsking(false)
    if (isDone)
      tell('The index is being built. Sorting and filtering by it is fast once it is there.')
  }
  return { indexed, index, isAsking }
}
