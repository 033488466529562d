import { Button, Group, Menu, Skeleton, Text } from '@mantine/core'
import type { MissingReview, StoredRecord } from '@recordhub/protocol'
import { IconDownload } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { recordPageQuery } from '../../../api/records.ts'
import { notify } from '../../../components/confirm.tsx'
import { ErrorNotice } from '../../../components/error-notice.tsx'
import { LinkButton } from '../../../components/link-button.tsx'
import { columnsFor } from '../../../components/list-table/columns.tsx'
import { ListTable } from '../../../components/list-table/list-table.tsx'
import { MENU_PROPS } from '../../../components/menu-props.ts'
import { PageButtons } from '../../../components/page-buttons.tsx'
import { PageLink } from '../../../components/page-link.tsx'
import { TEXTS } from '../../../texts.ts'

const column = columnsFor<StoredRecord>()

const PAGE = 10
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
      <ListTable
        label={TEXTS.recordsReview}
        rows={records}
        idOf={({ record_id }) => record_id}
        empty={<Text size="sm">These records are no longer stored.</Text>}
        columns={[
          column.of(
            'Reference',
            ({ record_id, reference_number }) => (
              <PageLink
                size="sm"
                to="/dashboard/records"
                search={{ platform: platform_name, record_type, record: String(record_id) }}
              >
                {reference_number}
              </PageLink>
            ),
            { width: 200 },
          ),
          column.text(TEXTS.name, ({ full_name }) => full_name),
          column.time(TEXTS.updated, ({ updated_at }) => updated_at),
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
            Open in Records
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
          Export
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {FORMATS.map(([format, label]) => (
          <Menu.Item
            key={format}
            component="a"
            href={addressOf(format)}
            download
            onClick={() => notify('The export has started. Your browser shows its progress.')}
          >
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
