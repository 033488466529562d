import { Alert, Group, Skeleton, Stack, Table, Text } from '@mantine/core'
import type { ActivityLine } from '@recordhub/protocol'
import type { ReactNode } from 'react'
import { CopyButton } from '../../../components/copy-button.tsx'
import { ErrorNotice } from '../../../components/error-notice.tsx'
import { MessageText } from '../../../components/message-text.tsx'
import { OperatorName } from '../../../components/operator-name.tsx'
import { SideDrawer } from '../../../components/side-drawer.tsx'
import { Time } from '../../../components/time.tsx'
import { ValueView } from '../../../components/value-view.tsx'
import { formatWord } from '../../../lib/format.ts'
import { useUrlState } from '../../../lib/url-state.ts'
import { PlatformLink } from '../platform-link.tsx'
import { LevelMark } from './level-mark.tsx'
import { LineLinks } from './line-links.tsx'
import { useLine } from './use-log.ts'

/** All that a line says, and where it leads. */
export function LineDrawer({ shown }: { shown: ActivityLine[] }) {
  const [state, change] = useUrlState()
  const id = /^[1-9]\d{0,14}$/.test(state['line'] ?? '') ? Number(state['line']) : null
  const { line, isGone, error } = useLine(id, shown)
  return (
    <SideDrawer
      opened={id !== null}
      onClose={() => change({ line: null })}
      size="lg"
      title="Line of the log"
    >
      {line && <Line line={line} />}
      {!line && error && <ErrorNotice error={error} />}
      {isGone && (
        <Alert color="gray" title="This line is gone">
          Lines are kept for a time only. The settings say for how long.
        </Alert>
      )}
      {!line && !error && !isGone && <Skeleton height={200} />}
    </SideDrawer>
  )
}

function Line({ line }: { line: ActivityLine }) {
  const { level, at, kind, actor, platform_name } = line
  const rows: [string, ReactNode][] = [
    ['Level', <LevelMark key="level" level={level} />],
    ['Time', <Time key="time" at={at} seconds />],
    ['Kind', kind],
    ['By', <OperatorName key="by" by={actor} />],
  ]
  if (platform_name !== null) {
    rows.push(['Platform', <PlatformLink key="platform" name={platform_name} />])
  }
  for (const [name, value] of Object.entries(line.details)) {
    rows.push([formatWord(name), <ValueView key={name} value={value} />])
  }
  return (
    <Stack>
      <Text fw={600}>
        <MessageText message={line.message} />
      </Text>
      <Table variant="vertical" layout="fixed" withTableBorder>
        <Table.Tbody>
          {rows.map(([name, value]) => (
            <Table.Tr key={name}>
              <Table.Th w={150}>{name}</Table.Th>
              <Table.Td>{value}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      <LineLinks line={line} />
      <Group>
        <CopyButton
          value={JSON.stringify(line, null, 2)}
          label="Copy as JSON"
          words="Copy as JSON"
        />
      </Group>
    </Stack>
  )
}
