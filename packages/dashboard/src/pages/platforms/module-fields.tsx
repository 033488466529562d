import { Badge, Code, Text } from '@mantine/core'
import type { Field, PlatformModule } from '@recordhub/protocol'
import { columnsFor } from '../../components/list-table/columns.tsx'
import { ListTable } from '../../components/list-table/list-table.tsx'
import { TEXTS } from '../../texts.ts'

type ShownField = Pick<Field, 'key' | 'label' | 'type' | 'required'> & {
  change: 'added' | 'removed' | null
}
const column = columnsFor<ShownField>()

/** The fields of a module as label and key, with the removed ones at the end. */
export function ModuleFields(props: {
  name: string
  fields: readonly Field[]
  removed?: PlatformModule['removed_fields']
}) {
  const { name, fields, removed = [] } = props
  const rows = [
    ...fields.map((field): ShownField => ({ ...field, change: field.added_at ? 'added' : null })),
    ...removed.map((field): ShownField => ({ ...field, change: 'removed' })),
  ]
  return (
    <ListTable
      label={`Fields of ${name}`}
      isPlain
      rows={rows}
      idOf={({ key, change }) => `${change} ${key}`}
      empty={
        <Text size="sm" c="dimmed">
          The manifest has no fields.
        </Text>
      }
      columns={[
        column.of('Label', ({ label, change }) => (
          <>
            {label}{' '}
            {change && (
              <Badge size="xs" color={change === 'added' ? 'blue' : 'orange'}>
                {change === 'added' ? 'Added later' : TEXTS.noLongerInManifest}
              </Badge>
            )}
          </>
        )),
        column.of('Key', ({ key }) => <Code>{key}</Code>),
        column.of('Type', ({ type }) => type, { width: 110, phone: 'end' }),
        column.of('Required', ({ required }) => (required ? 'Yes' : 'No'), {
          width: 90,
          phone: 'labelled',
        }),
      ]}
    />
  )
}
