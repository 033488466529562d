import { Anchor, Badge, Code, Group, Stack, Table, Text } from '@mantine/core'
import type { Field, FieldOrigin } from '@recordhub/protocol'
import { Link } from '@tanstack/react-router'
import type { ShownRecord } from '../../../api/records.ts'
import { Time } from '../../../components/time.tsx'
import { ValueView } from '../../../components/value-view.tsx'
import { TEXTS } from '../texts.tsx'
import { fieldsOf, sourceLabel } from './record-fields.ts'

/** All fields with label, key, value and the source of the value. */
export function FieldsTab({
  record,
  manifest,
  origins,
}: {
  record: ShownRecord
  manifest: readonly Field[]
  /** Empty for a version of an earlier time. */
  origins: readonly FieldOrigin[]
}) {
  const fields = fieldsOf(record, manifest, origins)
  if (fields.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        {TEXTS.recordHasNoFields}
      </Text>
    )
  }
  return (
    <Table verticalSpacing="sm" layout="fixed">
      <Table.Thead>
        <Table.Tr>
          <Table.Th w="36%">{TEXTS.field}</Table.Th>
          <Table.Th>{TEXTS.value}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {fields.map(({ key, label, value, isInManifest, origin }) => (
          <Table.Tr key={key}>
            <Table.Td valign="top">
              <Stack gap={2} align="flex-start">
                <Text size="sm" fw={600}>
                  {label}
                </Text>
                <Code>{key}</Code>
                {!isInManifest && (
                  <Badge size="xs" variant="light" color="gray" tt="none">
                    {TEXTS.notManifest}
                  </Badge>
                )}
              </Stack>
            </Table.Td>
            <Table.Td valign="top">
              <Stack gap={4}>
                <ValueView value={value} />
                {origin && <Origin origin={origin} />}
              </Stack>
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}

function Origin({ origin }: { origin: FieldOrigin }) {
  const { source, written_at, pull_id, request_id } = origin
  return (
    <Group gap={4}>
      <Text size="xs" c="dimmed" component="div">
        {sourceLabel(source)}
        {/* The drawer shows when the record was received. */}
        {written_at !== null && source !== 'creation' && (
          <>
            , <Time at={written_at} seconds />
          </>
        )}
        {pull_id !== null && (
          <>
            {', '}
            <Anchor
              fz="xs"
              underline="always"
              renderRoot={(props) => (
                <Link to="/dashboard/pulls/$id" params={{ id: String(pull_id) }} {...props} />
              )}
            >
              {TEXTS.sourcePull(pull_id)}
            </Anchor>
          </>
        )}
        {request_id !== null && TEXTS.requestSuffix(request_id)}
      </Text>
    </Group>
  )
}
