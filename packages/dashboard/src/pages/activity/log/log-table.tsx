import { Stack, Text, UnstyledButton } from '@mantine/core'
import type { ActivityEntry } from '@recordhub/protocol'
import { DataTable } from 'mantine-datatable'
import { MessageText } from '../../../components/message-text.tsx'
import { OperatorName } from '../../../components/operator-name.tsx'
import { Time } from '../../../components/time.tsx'
import { useUrlState } from '../../../lib/url-state.ts'
import { PlatformLink } from '../platform-link.tsx'
import { TEXTS } from '../texts.tsx'
import { LevelLabel } from './level-label.tsx'

const FROM_TABLET = '(min-width: 48em)'
const FROM_DESKTOP = '(min-width: 62em)'

export function LogTable({ entries }: { entries: ActivityEntry[] }) {
  const [state, change] = useUrlState()
  const open = (entry: ActivityEntry) => change({ line: String(entry.id) })
  return (
    <DataTable
      withTableBorder
      borderRadius="md"
      highlightOnHover
      records={entries}
      idAccessor="id"
      rowBackgroundColor={(entry) =>
        String(entry.id) === state['line']
          ? { light: 'var(--mantine-color-harbour-0)', dark: 'var(--mantine-color-dark-5)' }
          : undefined
      }
      columns={[
        {
          accessor: 'level',
          title: TEXTS.level,
          width: 110,
          visibleMediaQuery: FROM_TABLET,
          render: ({ level }) => <LevelLabel level={level} />,
        },
        {
          accessor: 'at',
          title: TEXTS.time,
          width: 215,
          noWrap: true,
          visibleMediaQuery: FROM_TABLET,
          render: ({ at }) => (
            <Text span size="sm" c="dimmed">
              <Time at={at} seconds />
            </Text>
          ),
        },
        {
          accessor: 'platform_name',
          title: TEXTS.platform,
          width: 180,
          visibleMediaQuery: FROM_DESKTOP,
          render: ({ platform_name }) => <PlatformLink name={platform_name} />,
        },
        {
          accessor: 'message',
          title: TEXTS.event,
          render: (entry) => <Message entry={entry} onOpen={() => open(entry)} />,
        },
        {
          accessor: 'actor',
          title: TEXTS.actor,
          width: 140,
          visibleMediaQuery: FROM_DESKTOP,
          render: ({ actor }) => (
            <Text span size="sm" c="dimmed" lineClamp={1}>
              <OperatorName by={actor} />
            </Text>
          ),
        },
      ]}
    />
  )
}

/** On a phone, also contains the values of the columns that are hidden there. */
function Message({ entry, onOpen }: { entry: ActivityEntry; onOpen: () => void }) {
  return (
    <Stack gap={2}>
      <UnstyledButton onClick={onOpen} aria-haspopup="dialog">
        <Text size="sm" lineClamp={2}>
          <MessageText message={entry.message} />
        </Text>
      </UnstyledButton>
      <Text size="xs" c="dimmed" hiddenFrom="sm" component="div">
        {entry.level !== 'info' && <LevelLabel level={entry.level} />}{' '}
        <Time at={entry.at} seconds />
      </Text>
    </Stack>
  )
}
