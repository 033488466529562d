/** The records of a revert, by outcome. */
import { Button, Group, Paper, Stack, Text } from '@mantine/core'
import type { Revert, RevertRecord } from '@recordhub/protocol'
import { IconFileExport } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { revertRecordsQuery } from '../../api/reverts.ts'
import { FilterChip, FilterChips } from '../../components/filter-chip.tsx'
import { columnsFor } from '../../components/list-table/columns.tsx'
import { ListTable } from '../../components/list-table/list-table.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { PlatformTitle } from '../../components/module-title.tsx'
import { PageLink } from '../../components/page-link.tsx'
import { Pager } from '../../components/pager.tsx'
import { Ago } from '../../components/time.tsx'
import { formatNumber } from '../../lib/format.ts'
import { useUrlState } from '../../lib/url-state.ts'
import { OUTCOMES, whyLabel } from './revert-labels.ts'

export function RevertRecords({ revert }: { revert: Revert }) {
  const [{ outcome = 'reverted', cursor = '' }, change] = useUrlState()
  const query = useQuery(revertRecordsQuery(revert.id, { outcome, cursor }))
  const shown = OUTCOMES.find(({ value }) => value === outcome) ?? OUTCOMES[0]
  const isExpired =
    revert.finished_at !== null && shown !== undefined && revert.counts[shown.value] > 0
  return (
    <section aria-label="Records">
      <Group justify="space-between" align="flex-start" gap="xs">
        <FilterChips label="Outcome">
          {OUTCOMES.map(({ value, label }) => (
            <FilterChip
              key={value}
              label={label}
              count={formatNumber(revert.counts[value])}
              isPressed={value === outcome}
              onClick={() => change({ outcome: value, cursor: null })}
            />
          ))}
        </FilterChips>
        <Button
          size="xs"
          variant="default"
          leftSection={<IconFileExport size={14} aria-hidden />}
          component="a"
          mb="sm"
          href={`/api/v1/reverts/${revert.id}/records/export?${new URLSearchParams({ outcome })}`}
          download
        >
          Export as CSV
        </Button>
      </Group>
      <Loaded query={query} errorTitle="Could not load the records">
        {({ records, next_cursor }) => (
          <Stack gap="sm">
            <ListTable
              label={`${shown?.label} records`}
              rows={records}
              idOf={({ record_id }) => record_id}
              isStale={query.isPlaceholderData}
              empty={
                <Paper withBorder p="md" c="dimmed" fz="sm">
                  {isExpired
                    ? 'The list has expired, or its records were deleted. The history of a record names its reverts.'
                    : 'No records'}
                </Paper>
              }
              columns={columnsOf(outcome)}
            />
            <Pager next={next_cursor} isStale={query.isPlaceholderData} />
          </Stack>
        )}
      </Loaded>
    </section>
  )
}

const column = columnsFor<RevertRecord>()

const columnsOf = (outcome: string) => [
  column.of(
    'Reference',
    ({ record_id, reference_number }) => (
      <PageLink to="/dashboard/records" search={{ record: String(record_id) }} size="sm">
        {reference_number}
      </PageLink>
    ),
    { width: 130 },
  ),
  column.text('Name', ({ full_name }) => full_name),
  column.of(
    'Module',
    ({ module_name, platform_name }) => (
      <>
        {module_name}{' '}
        <Text span inherit c="dimmed">
          <PlatformTitle platform={platform_name} />
        </Text>
      </>
    ),
    { width: 200 },
  ),
  outcome === 'reverted'
    ? column.of('Result', (record) => <Result record={record} />, { phone: 'line' })
    : column.of('Why', (record) => <Why record={record} />, { phone: 'line' }),
]

function Result({ record: { creates, done } }: { record: RevertRecord }) {
  if (done) return creates ? 'Marked as missing, because it was created' : 'Got its former values'
  return (
    <Text span inherit c="dimmed">
      {creates ? 'Becomes missing, because it was created' : 'Gets its former values'}
    </Text>
  )
}

/** The first value that keeps the record as it is, or why its former values are unknown. */
function Why({ record }: { record: RevertRecord }) {
  const { kept } = record
  return (
    <>
      {whyLabel(record)}
      {kept?.at && (
        <Text span inherit c="dimmed">
          {' '}
          <Ago at={kept.at} />
        </Text>
      )}
    </>
  )
}
