import { Text, Tooltip } from '@mantine/core'
import type { AuditEntry } from '@recordhub/protocol'
import { useTitles } from '../../api/platforms.ts'
import { Below, columnsFor } from '../../components/list-table/columns.tsx'
import { ListTable } from '../../components/list-table/list-table.tsx'
import { OperatorName } from '../../components/operator-name.tsx'
import { actionLabel, detailsLabel } from '../../lib/audit-labels.ts'
import { TEXTS } from './texts.tsx'

const column = columnsFor<AuditEntry>()

export function AuditTable({ entries }: { entries: AuditEntry[] }) {
  return (
    <ListTable
      label={TEXTS.auditLog}
      rows={entries}
      idOf={({ id }) => id}
      columns={[
        column.of(TEXTS.action, ({ action, details }) => (
          <>
            <Text size="sm" fw={600}>
              {actionLabel(action)}
            </Text>
            <Below>{detailsLabel(details)}</Below>
          </>
        )),
        column.of(TEXTS.target, ({ target }) => <Target target={target} />, { width: 190 }),
        column.of(TEXTS.user, ({ actor }) => <OperatorName by={actor} />, { width: 170 }),
        column.text(TEXTS.ipAddress, ({ address }) => address, { width: 130, from: 'desktop' }),
        column.time(TEXTS.time, ({ at }) => at, { exact: true, seconds: true, phone: 'end2' }),
      ]}
    />
  )
}

/** The target of an action: a platform by title, an operator by name, anything else unchanged. */
function Target({ target }: { target: string | null }) {
  const titles = useTitles()
  if (target === null) return '—'
  const title = titles.ofPlatform(target)
  if (title === target) return <OperatorName by={target} />
  return (
    <Tooltip label={target}>
      <span>{title}</span>
    </Tooltip>
  )
}
