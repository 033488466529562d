import { MultiSelect } from '@mantine/core'
import type { PlatformModule } from '@recordhub/protocol'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { callHub } from '../../../api/call-hub.ts'
import { attempt } from '../../../components/confirm.tsx'
import { useMay } from '../use-may.ts'

const MOST_FIELDS = 5

type Answer = { fields: { key: string; is_built: boolean }[] }

/** The fields by which lists of a module's records are sorted and filtered quickly. */
export function IndexedFields({
  platformId,
  module,
}: {
  platformId: number
  module: PlatformModule
}) {
  const path = `/api/v1/platforms/${platformId}/modules/${encodeURIComponent(module.record_type)}/indexed-fields`
  const queryKey = ['platforms', String(platformId), 'indexed fields', module.record_type]
  const client = useQueryClient()
  const mayOperate = useMay('operator')
  const indexed = useQuery({
    queryKey,
    queryFn: ({ signal }) => callHub<Answer>(path, { signal }),
    meta: { live: true },
  })
  const fields = indexed.data?.fields ?? []
  const known = new Map(module.fields.map((field) => [field.key, field.label]))
  for (const { key } of fields) if (!known.has(key)) known.set(key, key)
  const waiting = fields.filter((field) => !field.is_built).length
  const change = (keys: string[]) =>
    attempt(async () => {
      const answer = await callHub<Answer>(path, { method: 'PUT', body: { fields: keys } })
      client.setQueryData(queryKey, answer)
    })
  return (
    <MultiSelect
      label={`Indexed fields of ${module.module_name}`}
      description={
        !mayOperate
          ? 'To change this takes the role operator'
          : waiting > 0
            ? 'Lists are sorted and filtered by these quickly. The index is being built.'
            : `Lists are sorted and filtered by these quickly; ${MOST_FIELDS} at most`
      }
      data={[...known].map(([value, label]) => ({ value, label }))}
      value={fields.map((field) => field.key)}
      maxValues={MOST_FIELDS}
      disabled={!mayOperate || indexed.isPending}
      placeholder={fields.length === 0 ? 'None' : undefined}
      searchable
      hidePickedOptions
      maw={420}
      onChange={(keys) => void change(keys)}
    />
  )
}
