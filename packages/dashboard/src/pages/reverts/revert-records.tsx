/** The records of a revert, by outcome. */
import { Button, Group, Paper, Stack } from '@mantine/core'
import type { ListedRevertRecord, Revert } from '@recordhub/protocol'
import { IconFileExport } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { revertRecordsQuery } from '../../api/reverts.ts'
import { FilterChip, FilterChips } from '../../components/filter-chip.tsx'
import { columnsFor } from '../../components/list-table/columns.tsx'
import { ListTable } from '../../components/list-table/list-table.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { Pager } from '../../components/pager.tsx'
import { Ago } from '../../components/time.tsx'
import { Tinted } from '../../components/tinted.tsx'
import { formatNumber } from '../../lib/format.ts'
import { useUrlState } from '../../lib/url-state.ts'
import { ChangeLines } from '../records/record/history.tsx'
import recordClasses from '../records/record/record.module.css'
import { ModuleOfPlatform, RecordLink } from './holds.tsx'
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

const column = columnsFor<ListedRevertRecord>()

const columnsOf = (outcome: string) => [
  column.of('Reference', RecordLink, { width: 130 }),
  column.text('Name', ({ full_name }) => full_name),
  column.of('Module', ModuleOfPlatform, { width: 200 }),
  outcome === 'reverted'
    ? column.of('Change', changeOf, { width: 340, phone: 'line' })
    : column.of('Why', whyOf, { width: 340, phone: 'line' }),
]

/** The first value that the revert changes, and how many others. */
function changeOf(record: ListedRevertRecord) {
  const { changes, changes_total } = record
  const [first] = changes
  if (!first) return resultOf(record)
  return (
    <div className={recordClasses['changes']}>
      <ChangeLines change={first} manifest={[]} max={1} />
      {changes_total > 1 && <Tinted>and {formatNumber(changes_total - 1)} more</Tinted>}
    </div>
  )
}

function resultOf({ creates, done }: ListedRevertRecord) {
  if (done) return creates ? 'Marked as missing, because it was created' : 'Got its former values'
  return (
    <Tinted>
      {creates ? 'Becomes missing, because it was created' : 'Gets its former values'}
    </Tinted>
  )
}

/** The first value that keeps the record as it is, or why its former values are unknown. */
function whyOf(record: ListedRevertRecord) {
  const { kept } = record
  return (
    <>
      {whyLabel(record)}{' '}
      {kept?.at && (
        <Tinted>
          <Ago at={kept.at} />
        </Tinted>
      )}
    </>
  )
}
