import { Badge, Code, ScrollArea, Table, Text } from '@mantine/core'
import type { Field, PlatformModule } from '@recordhub/protocol'
import { TEXTS } from './texts.tsx'

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
  if (fields.length + removed.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        {TEXTS.manifestHasNoFields}
      </Text>
    )
  }
  return (
    <ScrollArea
      type="auto"
      viewportProps={{ tabIndex: 0, role: 'region', 'aria-label': TEXTS.fieldsOf(name) }}
    >
      <Table verticalSpacing={6} miw={380}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{TEXTS.label}</Table.Th>
            <Table.Th>{TEXTS.key}</Table.Th>
            <Table.Th>{TEXTS.type}</Table.Th>
            <Table.Th>{TEXTS.required}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {fields.map((field) => (
            <FieldRow key={field.key} field={field} change={field.added_at ? 'added' : null} />
          ))}
          {removed.map((field) => (
            <FieldRow key={`removed ${field.key}`} field={field} change="removed" />
          ))}
        </Table.Tbody>
      </Table>
    </ScrollArea>
  )
}

function FieldRow({ field, change }: { field: Field; change: 'added' | 'removed' | null }) {
  const { key, label, type, required } = field
  return (
    <Table.Tr>
      <Table.Td>
        {label}{' '}
        {change && (
          <Badge size="xs" variant="light" color={change === 'added' ? 'blue' : 'orange'} tt="none">
            {change === 'added' ? TEXTS.addedLater : TEXTS.noLongerInManifest}
          </Badge>
        )}
      </Table.Td>
      <Table.Td>
        <Code>{key}</Code>
      </Table.Td>
      <Table.Td>{type}</Table.Td>
      <Table.Td>{required ? TEXTS.yes : TEXTS.no}</Table.Td>
    </Table.Tr>
  )
}
