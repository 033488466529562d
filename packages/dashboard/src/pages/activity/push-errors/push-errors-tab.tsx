import { Code, Group, Stack, Text } from '@mantine/core'
import type { PushError, PushErrorMatch, PushErrorReason } from '@recordhub/protocol'
import { IconMoodCheck } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { pushErrorPageQuery } from '../../../api/inbox.ts'
import { EmptyState } from '../../../components/empty-state.tsx'
import { Below, columnsFor } from '../../../components/list-table/columns.tsx'
import { ListTable } from '../../../components/list-table/list-table.tsx'
import { LoadedPage } from '../../../components/loaded.tsx'
import { PlatformLink } from '../../../components/platform-link.tsx'
import { pickState, useUrlState } from '../../../lib/url-state.ts'
import { TEXTS } from '../../../texts.ts'
import { FilterBar, PlatformSelect, RequestIdInput, SelectFilter } from '../list-parts.tsx'

const FILTERS = ['platform', 'reason', 'request_id']
const PUSH_ERROR_REASONS: Readonly<Record<PushErrorReason, string>> = {
  key_missing: 'No API key',
  key_invalid: 'Invalid API key',
  invalid_json: 'Malformed JSON',
  unsupported_media_type: 'Content-Type is not JSON',
  body_too_large: 'Body too large',
  too_many_keys: 'Too many keys',
}
/** How a platform was matched to a sender. */
const PUSH_ERROR_MATCHES: Readonly<Record<PushErrorMatch, string>> = {
  key: 'Valid key',
  key_prefix: 'Same key prefix',
  address: 'Same address',
}
const REASON_CHOICES = Object.entries(PUSH_ERROR_REASONS).map(([value, label]) => ({
  value,
  label,
}))

/** Pushes that are only counted: their content is not stored. */
export function PushErrorsTab() {
  const [state] = useUrlState()
  const isFiltered = FILTERS.some((name) => state[name])
  return (
    <Stack gap="md">
      <Text size="sm" c="dimmed" maw={760}>
        Pushes with an invalid API key or a body that is not JSON are counted by hour and sender.
        Their content is not stored. A platform is shown if it may have sent them.
      </Text>
      <FilterBar names={FILTERS}>
        <PlatformSelect />
        <SelectFilter label={TEXTS.reason} name="reason" choices={REASON_CHOICES} />
        <RequestIdInput />
      </FilterBar>
      <LoadedPage
        query={useQuery(pushErrorPageQuery(pickState(state, [...FILTERS, 'cursor'])))}
        skeleton={<PushErrorTable errors={undefined} />}
        empty={({ push_errors }) =>
          push_errors.length === 0 && (
            <EmptyState
              icon={<IconMoodCheck />}
              title={isFiltered ? 'No matching push errors' : TEXTS.noPushErrors}
            >
              {isFiltered
                ? 'Clear a filter to see all push errors.'
                : 'Pushes with an invalid API key or malformed JSON are counted here.'}
            </EmptyState>
          )
        }
      >
        {({ push_errors }) => <PushErrorTable errors={push_errors} />}
      </LoadedPage>
    </Stack>
  )
}

const column = columnsFor<PushError>()

/** @param isOfPlatform hides the platform column, on the page of a platform. */
export function PushErrorTable(props: {
  /** Undefined while they load. */
  errors: PushError[] | undefined
  isOfPlatform?: boolean
}) {
  const { errors, isOfPlatform = false } = props
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
            <Below>{`Last request ${request_id}`}</Below>
          </>
        )),
        column.of('Sender', (error) => <Sender error={error} />, { width: 220, phone: 'line' }),
        ...(isOfPlatform ? [] : [platforms]),
        column.number('Requests', ({ requests }) => requests),
        column.time('Last in this hour', ({ last_at }) => last_at, { width: 150 }),
      ]}
    />
  )
}

function Sender({ error: { key_hint, address } }: { error: PushError }) {
  if (address === null) return <Text size="sm">All other senders</Text>
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
        Unknown platform
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
