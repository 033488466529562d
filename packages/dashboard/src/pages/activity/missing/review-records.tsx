import { Button, Group, Menu, Text } from '@mantine/core'
import type { MissingReview, StoredRecord } from '@recordhub/protocol'
import { IconDownload } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { recordPageQuery } from '../../../api/records.ts'
import { notify } from '../../../components/confirm.tsx'
import { LinkButton } from '../../../components/link-button.tsx'
import { columnsFor } from '../../../components/list-table/columns.tsx'
import { ListTable } from '../../../components/list-table/list-table.tsx'
import { Loaded } from '../../../components/loaded.tsx'
import { PageButtons } from '../../../components/page-buttons.tsx'
import { PageLink } from '../../../components/page-link.tsx'
import { TEXTS } from '../../../texts.ts'
import { EXPORT_FORMATS, EXPORT_STARTED } from '../../records/list-query.ts'

const column = columnsFor<StoredRecord>()

const PAGE = 10
/** The records of a review, with pagination and export. */
export function ReviewRecords({ review }: { review: MissingReview }) {
  const { id, platform_name, record_type } = review
  const [cursor, setCursor] = useState<string | null>(null)
  const search = { platform: platform_name, record_type, missing_review: String(id) }
  const query = new URLSearchParams({
    ...search,
    sort: 'reference_number',
    limit: String(PAGE),
    ...(cursor === null ? {} : { cursor }),
  })
  const found = useQuery(recordPageQuery(`${query}`))
  const goTo = (to: string | null) => (to === null ? null : () => setCursor(to))
  return (
    <Loaded query={found}>
      {({ records, next_cursor: next, previous_cursor: previous }) => (
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
              <Export search={search} />
              <LinkButton size="xs" variant="default" to="/dashboard/records" search={search}>
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
      )}
    </Loaded>
  )
}

function Export({ search }: { search: Record<string, string> }) {
  return (
    <Menu>
      <Menu.Target>
        <Button size="xs" variant="default" leftSection={<IconDownload size={14} />}>
          Export
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {EXPORT_FORMATS.map(({ value: format, label }) => (
          <Menu.Item
            key={format}
            component="a"
            href={`/api/v1/records/export?${new URLSearchParams({ ...search, format })}`}
            download
            onClick={() => notify(EXPORT_STARTED)}
          >
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
