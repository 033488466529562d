import { Alert, Group, Skeleton, Stack, Table, Text } from '@mantine/core'
import type { ActivityEntry } from '@recordhub/protocol'
import type { ReactNode } from 'react'
import { CopyButton } from '../../../components/copy-button.tsx'
import { ErrorNotice } from '../../../components/error-notice.tsx'
import { MessageText } from '../../../components/message-text.tsx'
import { OperatorName } from '../../../components/operator-name.tsx'
import { PlatformLink } from '../../../components/platform-link.tsx'
import { SideDrawer } from '../../../components/side-drawer.tsx'
import { Time } from '../../../components/time.tsx'
import { ValueView } from '../../../components/value-view.tsx'
import { formatCode } from '../../../lib/format.ts'
import { useUrlState } from '../../../lib/url-state.ts'
import { TEXTS } from '../texts.tsx'
import { EntryLinks } from './entry-links.tsx'
import { LevelLabel } from './level-label.tsx'
import { useLogEntry } from './use-log.ts'

/** The details of a log entry, with related links. */
export function EntryDrawer({ shown }: { shown: ActivityEntry[] }) {
  const [state, change] = useUrlState()
  const id = /^[1-9]\d{0,14}$/.test(state['line'] ?? '') ? Number(state['line']) : null
  const { entry, isMissing, error } = useLogEntry(id, shown)
  return (
    <SideDrawer
      opened={id !== null}
      onClose={() => change({ line: null })}
      size="lg"
      title={TEXTS.logEntry}
    >
      {entry && <Entry entry={entry} />}
      {!entry && error && <ErrorNotice error={error} />}
      {isMissing && (
        <Alert color="gray" title={TEXTS.logEntryNotFound}>
          {TEXTS.logEntryNotFoundHint}
        </Alert>
      )}
      {!entry && !error && !isMissing && <Skeleton height={200} />}
    </SideDrawer>
  )
}

function Entry({ entry }: { entry: ActivityEntry }) {
  const { level, at, kind, actor, platform_name } = entry
  const rows: [string, ReactNode][] = [
    [TEXTS.level, <LevelLabel key="level" level={level} />],
    [TEXTS.time, <Time key="time" at={at} seconds />],
    [TEXTS.kind, kind],
    [TEXTS.actor, <OperatorName key="by" by={actor} />],
  ]
  if (platform_name !== null) {
    rows.push([TEXTS.platform, <PlatformLink key="platform" name={platform_name} />])
  }
  for (const [name, value] of Object.entries(entry.details)) {
    rows.push([formatCode(name), <ValueView key={name} value={value} />])
  }
  return (
    <Stack>
      <Text fw={600}>
        <MessageText message={entry.message} />
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
      <EntryLinks entry={entry} />
      <Group>
        <CopyButton
          value={JSON.stringify(entry, null, 2)}
          label={TEXTS.copyAsJson}
          text={TEXTS.copyAsJson}
        />
      </Group>
    </Stack>
  )
}
