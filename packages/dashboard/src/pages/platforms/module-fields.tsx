import { Badge, Code, Text } from '@mantine/core'
import type { Field, PlatformModule } from '@recordhub/protocol'
import { columnsFor } from '../../components/list-table/columns.tsx'
import { ListTable } from '../../components/list-table/list-table.tsx'
import { TEXTS } from './texts.tsx'

type ShownField = Pick<Field, 'key' | 'label' | 'type' | 'required'> & {
  change: 'added' | 'removed' | null
}
const column = columnsFor<ShownField>()

/** The fields of a module as label and key, with the removed ones at the end. */
export function ModuleFields({
  name,
  fields,
  removed = [],
}: {
  name: string
  fields: readonly Field[]
  removed?: PlatformModule['removed_fields']
}) {
  const rows = [
    ...fields.map((field): ShownField => ({ ...field, change: field.added_at ? 'added' : null })),
    ...removed.map((field): ShownField => ({ ...field, change: 'removed' })),
  ]
  return (
    <ListTable
      label={TEXTS.fieldsOf(name)}
      isPlain
      rows={rows}
      idOf={({ key, change }) => `${change} ${key}`}
      empty={
        <Text size="sm" c="dimmed">
          {TEXTS.manifestHasNoFields}
        </Text>
      }
      columns={[
        column.of(TEXTS.label, ({ label, change }) => (
          <>
            {label}{' '}
            {change && (
              <Badge
                size="xs"
                variant="light"
                color={change === 'added' ? 'blue' : 'orange'}
                tt="none"
              >
                {change === 'added' ? TEXTS.addedLater : TEXTS.noLongerInManifest}
              </Badge>
            )}
          </>
        )),
        column.of(TEXTS.key, ({ key }) => <Code>{key}</Code>),
        column.of(TEXTS.type, ({ type }) => type, { width: 110, phone: 'end' }),
        column.of(TEXTS.required, ({ required }) => (required ? TEXTS.yes : TEXTS.no), {
          width: 90,
          phone: 'labelled',
        }),
      ]}
    />
  )
}
