import { Stack, Text, UnstyledButton } from '@mantine/core'
import type { ActivityLine } from '@recordhub/protocol'
import { DataTable } from 'mantine-datatable'
import { MessageText } from '../../../components/message-text.tsx'
import { OperatorName } from '../../../components/operator-name.tsx'
import { Time } from '../../../components/time.tsx'
import { useUrlState } from '../../../lib/url-state.ts'
import { PlatformLink } from '../platform-link.tsx'
import { LevelMark } from './level-mark.tsx'

const FROM_TABLET = '(min-width: 48em)'
const FROM_DESKTOP = '(min-width: 62em)'

export function LogTable({ lines }: { lines: ActivityLine[] }) {
  const [state, change] = useUrlState()
  const open = (line: ActivityLine) => change({ line: String(line.id) })
  return (
    <DataTable
      withTableBorder
      borderRadius="md"
      highlightOnHover
      records={lines}
      idAccessor="id"
      rowBackgroundColor={(line) =>
        String(line.id) === state['line']
          ? { light: 'var(--mantine-color-harbour-0)', dark: 'var(--mantine-color-dark-5)' }
          : undefined
      }
      columns={[
        {
          accessor: 'level',
          title: 'Level',
          width: 110,
          visibleMediaQuery: FROM_TABLET,
          render: ({ level }) => <LevelMark level={level} />,
        },
        {
          accessor: 'at',
          title: 'Time',
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
          title: 'Platform',
          width: 180,
          visibleMediaQuery: FROM_DESKTOP,
          render: ({ platform_name }) => <PlatformLink name={platform_name} />,
        },
        {
          accessor: 'message',
          title: 'What happened',
          render: (line) => <Message line={line} onOpen={() => open(line)} />,
        },
        {
          accessor: 'actor',
          title: 'By',
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

/** On a phone it says what the columns say that have no room there. */
function Message({ line, onOpen }: { line: ActivityLine; onOpen: () => void }) {
  return (
    <Stack gap={2}>
      <UnstyledButton onClick={onOpen} aria-haspopup="dialog">
        <Text size="sm" lineClamp={2}>
          <MessageText message={line.message} />
        </Text>
      </UnstyledButton>
      <Text size="xs" c="dimmed" hiddenFrom="sm" component="div">
        {line.level !== 'info' && <LevelMark level={line.level} />} <Time at={line.at} seconds />
      </Text>
    </Stack>
  )
}
