import { Code, Group, Stack, Text } from '@mantine/core'
import type { PushError } from '@recordhub/protocol'
import { Below, columnsFor } from '../../../components/list-table/columns.tsx'
import { ListTable } from '../../../components/list-table/list-table.tsx'
import { PlatformLink } from '../../../components/platform-link.tsx'
import { PUSH_ERROR_MATCHES, PUSH_ERROR_REASONS, TEXTS } from '../texts.tsx'

const column = columnsFor<PushError>()

/** @param isOfPlatform hides the platform column, on the page of a platform. */
export function PushErrorTable({
  errors,
  isOfPlatform = false,
}: {
  /** Undefined while they load. */
  errors: PushError[] | undefined
  isOfPlatform?: boolean
}) {
  const platforms = column.of(TEXTS.platform, (error) => <Platforms error={error} />, {
    width: 220,
    from: 'desktop',
    phone: 'line',
  })
  return (
    <ListTable
      label={TEXTS.pushErrors}
      rows={errors}
      idOf={({ id }) => id}
      columns={[
        column.of(TEXTS.reason, ({ reason, request_id }) => (
          <>
            <Text size="sm">{PUSH_ERROR_REASONS[reason]}</Text>
            <Below>{TEXTS.lastRequest(request_id)}</Below>
          </>
        )),
        column.of(TEXTS.sender, (error) => <Sender error={error} />, { width: 220, phone: 'line' }),
        ...(isOfPlatform ? [] : [platforms]),
        column.number(TEXTS.requests, ({ requests }) => requests),
        column.time(TEXTS.lastInThisHour, ({ last_at }) => last_at, { width: 150 }),
      ]}
    />
  )
}

function Sender({ error: { key_hint, address } }: { error: PushError }) {
  if (address === null) return <Text size="sm">{TEXTS.allOtherSenders}</Text>
  return (
    <Group gap={6}>
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        {address}
      </Text>
      {key_hint !== null && <Code>{key_hint}</Code>}
    </Group>
  )
}

function Platforms({ error: { platforms } }: { error: PushError }) {
  if (platforms.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        {TEXTS.unknownPlatform}
      </Text>
    )
  }
  return (
    <Stack gap={2}>
      {platforms.map(({ platform_name, match }) => (
        <Group key={platform_name} gap={6}>
          <PlatformLink name={platform_name} />
          <Text size="xs" c="dimmed">
            {PUSH_ERROR_MATCHES[match]}
          </Text>
        </Group>
      ))}
    </Stack>
  )
}
