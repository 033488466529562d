import { Button, Group, Menu, Skeleton, Text } from '@mantine/core'
import type { MissingReview } from '@recordhub/protocol'
import { IconDownload } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { DataTable } from 'mantine-datatable'
import { useState } from 'react'
import { recordPageQuery } from '../../../api/records.ts'
import { notify } from '../../../components/confirm.tsx'
import { ErrorNotice } from '../../../components/error-notice.tsx'
import { LinkButton } from '../../../components/link-button.tsx'
import { MENU_PROPS } from '../../../components/menu-props.ts'
import { PageButtons } from '../../../components/page-buttons.tsx'
import { PageLink } from '../../../components/page-link.tsx'
import { Time } from '../../../components/time.tsx'
import { TEXTS } from '../texts.tsx'

const PAGE = 10
const FROM_TABLET = '(min-width: 48em)'
const FORMATS = [
  ['csv', 'CSV'],
  ['xlsx', 'XLSX'],
  ['ndjson', 'NDJSON'],
  ['json', 'JSON'],
] as const

/** The records of a review, with pagination and export. */
export function ReviewRecords({ review }: { review: MissingReview }) {
  const { id, platform_name, record_type } = review
  const [cursor, setCursor] = useState<string | null>(null)
  const query = new URLSearchParams({
    platform: platform_name,
    record_type,
    missing_review: String(id),
    sort: 'reference_number',
    limit: String(PAGE),
    ...(cursor === null ? {} : { cursor }),
  })
  const { data, error, refetch } = useQuery(recordPageQuery(`${query}`))
  if (error && !data) return <ErrorNotice error={error} onRetry={() => void refetch()} />
  if (!data) return <Skeleton height={200} />
  const { records, next_cursor: next, previous_cursor: previous } = data
  const goTo = (to: string | null) => (to === null ? null : () => setCursor(to))
  return (
    <section aria-label={TEXTS.recordsReview}>
      <DataTable
        withTableBorder
        borderRadius="md"
        records={records}
        idAccessor="record_id"
        minHeight={120}
        noRecordsText={TEXTS.recordsNotStored}
        columns={[
          {
            accessor: 'reference_number',
            title: TEXTS.reference,
            render: ({ record_id, reference_number }) => (
              <PageLink
                size="sm"
                to="/dashboard/records"
                search={{ platform: platform_name, record_type, record: String(record_id) }}
                style={{ overflowWrap: 'anywhere' }}
              >
                {reference_number}
              </PageLink>
            ),
          },
          {
            accessor: 'full_name',
            title: TEXTS.name,
            render: ({ full_name }) => (
              <Text size="sm" lineClamp={2}>
                {full_name}
              </Text>
            ),
          },
          {
            accessor: 'updated_at',
            title: TEXTS.updated,
            width: 185,
            noWrap: true,
            visibleMediaQuery: FROM_TABLET,
            render: ({ updated_at }) => (
              <Text span size="sm" c="dimmed">
                <Time at={updated_at} />
              </Text>
            ),
          },
        ]}
      />
      <Group justify="space-between" gap="xs" mt="xs">
        <Group gap="xs">
          <Export review={review} />
          <LinkButton
            size="xs"
            variant="default"
            to="/dashboard/records"
            search={{ platform: platform_name, record_type, missing_review: String(id) }}
          >
            {TEXTS.openInRecords}
          </LinkButton>
        </Group>
        {(next !== null || cursor !== null) && (
          <Group gap="xs" component="nav" aria-label={TEXTS.pagination}>
            <PageButtons
              onFirst={cursor === null ? null : () => setCursor(null)}
              onPrevious={goTo(previous)}
              onNext={goTo(next)}
            />
          </Group>
        )}
      </Group>
    </section>
  )
}

function Export({ review: { id, platform_name, record_type } }: { review: MissingReview }) {
  const addressOf = (format: string) =>
    `/api/v1/records/export?${new URLSearchParams({
      platform: platform_name,
      record_type,
      missing_review: String(id),
      format,
    })}`
  return (
    <Menu {...MENU_PROPS}>
      <Menu.Target>
        <Button size="xs" variant="default" leftSection={<IconDownload size={14} />}>
          {TEXTS.export}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {FORMATS.map(([format, label]) => (
          <Menu.Item
            key={format}
            component="a"
            href={addressOf(format)}
            download
            onClick={() => notify(TEXTS.exportStarted)}
          >
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
