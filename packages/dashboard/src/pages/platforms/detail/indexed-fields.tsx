import { MultiSelect } from '@mantine/core'
import type { PlatformModule } from '@recordhub/protocol'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { indexedFieldsQuery, setIndexedFields } from '../../../api/platforms.ts'
import { attempt } from '../../../components/confirm.tsx'
import { useHasRole } from '../../../lib/use-has-role.ts'
import { TEXTS } from '../../../texts.ts'

const MAX_FIELDS = 5

/** The indexed fields of a module, which make sorting and filtering fast. */
export function IndexedFields({
  platformId,
  module,
}: {
  platformId: number
  module: PlatformModule
}) {
  const ref = { platformId, recordType: module.record_type }
  const client = useQueryClient()
  const canOperate = useHasRole('operator')
  const indexed = useQuery(indexedFieldsQuery(ref))
  const fields = indexed.data?.fields ?? []
  const known = new Map(module.fields.map((field) => [field.key, field.label]))
  for (const { key } of fields) if (!known.has(key)) known.set(key, key)
  const pending = fields.filter((field) => !field.is_built).length
  const change = (keys: string[]) => attempt(() => setIndexedFields(client, ref, keys))
  return (
    <MultiSelect
      label={`Indexed fields of ${module.module_name}`}
      description={
        !canOperate
          ? TEXTS.requiresOperatorRole
          : pending > 0
            ? 'Sorting and filtering by these fields is fast. The index is being built.'
            : `Sorting and filtering by these fields is fast. At most ${MAX_FIELDS} fields.`
      }
      data={[...known].map(([value, label]) => ({ value, label }))}
      value={fields.map((field) => field.key)}
      maxValues={MAX_FIELDS}
      disabled={!canOperate || indexed.isPending}
      placeholder={fields.length === 0 ? TEXTS.none : undefined}
      searchable
      hidePickedOptions
      maw={420}
      onChange={(keys) => void change(keys)}
    />
  )
}
