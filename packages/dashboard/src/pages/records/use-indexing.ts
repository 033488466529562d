import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { callHub } from '../../api/call-hub.ts'
import { attempt, tell } from '../../components/confirm.tsx'
import type { Place } from './columns.ts'
import { type IndexedField, indexedFieldsAddress, useIndexedFields } from './use-records.ts'

/** The indexed fields of a module, and a way to have one more. */
export function useIndexing(place: Place | null): {
  indexed: IndexedField[]
  index: (key: string) => Promise<void>
  isAsking: boolean
} {
  const { data } = useIndexedFields(place)
  const client = useQueryClient()
  const [isAsking, setAsking] = useState(false)
  const indexed = data?.fields ?? []
  async function index(key: string): Promise<void> {
    if (!place) return
    setAsking(true)
    const fields = [...indexed.map((field) => field.key), key]
    const isDone = await attempt(() =>
      callHub(indexedFieldsAddress(place), { method: 'PUT', body: { fields } }),
    )
    await client.invalidateQueries({ queryKey: ['indexed fields'] })
    setAsking(false)
    if (isDone)
      tell('The index is being built. Sorting and filtering by it is fast once it is there.')
  }
  return { indexed, index, isAsking }
}
