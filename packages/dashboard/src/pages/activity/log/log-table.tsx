import { Text, UnstyledButton } from '@mantine/core'
import type { ActivityEntry } from '@recordhub/protocol'
import { columnsFor } from '../../../components/list-table/columns.tsx'
import { ListTable } from '../../../components/list-table/list-table.tsx'
import { MessageText } from '../../../components/message-text.tsx'
import { OperatorName } from '../../../components/operator-name.tsx'
import { useUrlState } from '../../../lib/url-state.ts'
import { TEXTS } from '../texts.tsx'
import { LevelLabel } from './level-label.tsx'

const column = columnsFor<ActivityEntry>()

/** @param entries undefined while they load. */
export function LogTable({ entries }: { entries: ActivityEntry[] | undefined }) {
  const [state, change] = useUrlState()
  const open = (entry: ActivityEntry) => change({ line: String(entry.id) })
  return (
    <ListTable
      label={TEXTS.log}
      rows={entries}
      idOf={({ id }) => id}
      isCurrent={({ id }) => String(id) === state['line']}
      onOpen={open}
      columns={[
        column.of(TEXTS.event, (entry) => (
          <UnstyledButton display="block" onClick={() => open(entry)} aria-haspopup="dialog">
            <Text size="sm" lineClamp={2}>
              <MessageText message={entry.message} />
            </Text>
          </UnstyledButton>
        )),
        column.of(TEXTS.level, ({ level }) => <LevelLabel level={level} />, { width: 110 }),
        column.platform(TEXTS.platform, ({ platform_name }) => platform_name, { from: 'desktop' }),
        column.of(TEXTS.actor, ({ actor }) => <OperatorName by={actor} />, {
          width: 140,
          from: 'desktop',
          phone: 'none',
        }),
        column.time(TEXTS.time, ({ at }) => at, { exact: true, seconds: true, phone: 'end2' }),
      ]}
    />
  )
}
