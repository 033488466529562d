import { Code, Group, Stack, Text } from '@mantine/core'
import type { PushError } from '@recordhub/protocol'
import { DataTable } from 'mantine-datatable'
import { Time } from '../../../components/time.tsx'
import { formatCount, formatNumber } from '../../../lib/format.ts'
import { PlatformLink } from '../platform-link.tsx'
import { PUSH_ERROR_MATCHES, PUSH_ERROR_REASONS, TEXTS } from '../texts.tsx'

const FROM_TABLET = '(min-width: 48em)'
const FROM_DESKTOP = '(min-width: 62em)'

/** @param isOfPlatform hides the platform column, on the page of a platform. */
export function PushErrorTable({
  errors,
  isOfPlatform = false,
}: {
  errors: PushError[]
  isOfPlatform?: boolean
}) {
  return (
    <DataTable
      withTableBorder
      borderRadius="md"
      records={errors}
      idAccessor="id"
      columns={[
        {
          accessor: 'reason',
          title: TEXTS.reason,
          render: (error) => <Reason error={error} isOfPlatform={isOfPlatform} />,
        },
        {
          accessor: 'sender',
          title: TEXTS.sender,
          width: 220,
          visibleMediaQuery: FROM_TABLET,
          render: (error) => <Sender error={error} />,
        },
        {
          accessor: 'platforms',
          title: TEXTS.platform,
          width: 220,
          hidden: isOfPlatform,
          visibleMediaQuery: FROM_DESKTOP,
          render: (error) => <Platforms error={error} />,
        },
        {
          accessor: 'requests',
          title: TEXTS.requests,
          textAlign: 'right',
          width: 100,
          visibleMediaQuery: FROM_TABLET,
          render: ({ requests }) => formatNumber(requests),
        },
        {
          accessor: 'last_at',
          title: TEXTS.lastInThisHour,
          width: 185,
          noWrap: true,
          visibleMediaQuery: FROM_DESKTOP,
          render: ({ last_at }) => (
            <Text span size="sm" c="dimmed">
              <Time at={last_at} seconds />
            </Text>
          ),
        },
      ]}
    />
  )
}

/** On narrow screens, also contains the values of the hidden columns. */
function Reason({ error, isOfPlatform }: { error: PushError; isOfPlatform: boolean }) {
  const { reason, requests, last_at, request_id } = error
  return (
    <Stack gap={4}>
      <Text size="sm">{PUSH_ERROR_REASONS[reason]}</Text>
      <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
        {TEXTS.lastRequest(request_id)}
      </Text>
      <Stack gap={2} hiddenFrom="sm">
        <Sender error={error} />
        <Text size="xs" c="dimmed">
          {formatCount(requests, 'request')}
        </Text>
      </Stack>
      <Stack gap={2} hiddenFrom="md">
        {!isOfPlatform && <Platforms error={error} />}
        <Text size="xs" c="dimmed" component="div">
          <Time at={last_at} seconds />
        </Text>
      </Stack>
    </Stack>
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
