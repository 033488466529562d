import { Badge, Text, UnstyledButton } from '@mantine/core'
import type { RejectedPush } from '@recordhub/protocol'
import { Below, columnsFor } from '../../../components/list-table/columns.tsx'
import { ListTable } from '../../../components/list-table/list-table.tsx'
import { ModuleTitle } from '../../../components/module-title.tsx'
import { PlatformLink } from '../../../components/platform-link.tsx'
import { StatusBadge } from '../../../components/status-badge.tsx'
import { useUrlState } from '../../../lib/url-state.ts'
import { TEXTS } from '../../../texts.ts'
import { referenceOf } from './advice.ts'

const column = columnsFor<RejectedPush>()

/** @param rejected undefined while they load. */
export function RejectedTable({ rejected }: { rejected: RejectedPush[] | undefined }) {
  const [state, change] = useUrlState()
  const open = ({ id }: RejectedPush) => change({ rejected: String(id) })
  return (
    <ListTable
      label={TEXTS.rejected}
      rows={rejected}
      idOf={({ id }) => id}
      isCurrent={({ id }) => String(id) === state['rejected']}
      onOpen={open}
      columns={[
        column.of('Record and reason', (one) => (
          <UnstyledButton display="block" onClick={() => open(one)} aria-haspopup="dialog">
            <Text size="sm" fw={600}>
              {referenceOf(one.body)}
            </Text>
            <Text size="sm" lineClamp={2}>
              {one.message}
            </Text>
          </UnstyledButton>
        )),
        column.of('Source', ({ method }) => <MethodBadge method={method} />, { width: 90 }),
        column.of(
          TEXTS.platform,
          ({ platform_name, record_type }) => (
            <>
              <PlatformLink name={platform_name} />
              <Below>
                <ModuleTitle platform={platform_name} recordType={record_type} />
              </Below>
            </>
          ),
          { width: 170, from: 'desktop', phone: 'none' },
        ),
        column.number('Count', ({ count }) => count, { width: 80, phone: 'none' }),
        column.of(TEXTS.state, (one) => <ReplayState rejected={one} />, { width: 110 }),
        column.time(TEXTS.time, ({ at }) => at),
      ]}
    />
  )
}

export function MethodBadge({ method }: { method: RejectedPush['method'] }) {
  return (
    <Badge variant="default" size="sm" tt="none">
      {method === 'pull' ? 'Pulled' : method}
    </Badge>
  )
}

function ReplayState({ rejected: { replayed_at, accepted_at } }: { rejected: RejectedPush }) {
  if (replayed_at !== null) return <StatusBadge status="resolved" label={TEXTS.replayed} />
  if (accepted_at !== null) return <StatusBadge status="accepted" label={TEXTS.acceptedException} />
  return <StatusBadge status="open" label="Open" />
}
