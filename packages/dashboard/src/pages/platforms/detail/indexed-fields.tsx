import { MultiSelect } from '@mantine/core'
import type { PlatformModule } from '@recordhub/protocol'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { indexedFieldsQuery, setIndexedFields } from '../../../api/platforms.ts'
import { attempt } from '../../../components/confirm.tsx'
import { useMay } from '../use-may.ts'

const MOST_FIELDS = 5

/** The fields by which lists of a module's records are sorted and filtered quickly. */
export function IndexedFields({
  platformId,
  module,
}: {
  platformId: number
  module: PlatformModule
}) {
  const ref = { platformId, recordType: module.record_type }
  const client = useQueryClient()
  const mayOperate = useMay('operator')
  const indexed = useQuery(indexedFieldsQuery(ref))
  const fields = indexed.data?.fields ?? []
  const known = new Map(module.fields.map((field) => [field.key, field.label]))
  for (const { key } of fields) if (!known.has(key)) known.set(key, key)
  const waiting = fields.filter((field) => !field.is_built).length
  const change = (keys: string[]) => attempt(() => setIndexedFields(client, ref, keys))
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
