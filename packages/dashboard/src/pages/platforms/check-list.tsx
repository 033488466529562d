import { Group, Loader, Stack, Text } from '@mantine/core'
import type { ConnectionCheck } from '@recordhub/protocol'
import { IconCheck, IconX } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { Dot } from '../../components/dot.tsx'
import { formatLatency } from '../../lib/format.ts'
import { TEXTS } from '../../texts.ts'
import classes from './check-list.module.css'

const LABELS: Readonly<Record<string, string>> = {
  reachable: 'Reachable',
  ping: 'Ping',
  manifest: 'Manifest',
  search: TEXTS.search,
}
const RECORDS = 'records/'

/** The `record_type` whose list a check has read; null for other checks. */
export function recordTypeOf({ check }: ConnectionCheck): string | null {
  return check.startsWith(RECORDS) ? check.slice(RECORDS.length) : null
}

/** The checks of a connection, each as soon as it has finished; for a failed one, the likely cause and the fix. */
export function CheckList(props: {
  checks: readonly ConnectionCheck[]
  isRunning: boolean
  /** The display name of a module. */
  nameOf?: (recordType: string) => string
  /** The next steps after a failed check. */
  actionsOf?: (check: ConnectionCheck, label: string) => ReactNode
  /** The checks that were not reached, because an earlier one failed. */
  waiting?: readonly string[]
}) {
  const { checks, isRunning, nameOf = (recordType) => recordType, actionsOf, waiting = [] } = props
  const labelOf = (one: ConnectionCheck) => {
    const recordType = recordTypeOf(one)
    return recordType === null
      ? (LABELS[one.check] ?? one.check)
      : `Records of ${nameOf(recordType)}`
  }
  const passed = checks.filter(({ ok }) => ok).length
  return (
    <Stack gap="xs" aria-live="polite" aria-busy={isRunning}>
      <Group gap="xs">
        <Text fz="md" fw={600}>
          {TEXTS.checks}
        </Text>
        {isRunning && <Loader size={14} aria-hidden />}
        <Text size="sm" c="dimmed">
          {isRunning ? 'Checking…' : `${passed} of ${checks.length + waiting.length} passed`}
        </Text>
      </Group>
      {checks.length > 0 && (
        <ul className={classes['list']} aria-label={TEXTS.checks}>
          {checks.map((one, index) => (
            <li key={one.check}>
              {one.ok ? (
                <IconCheck size={16} color="var(--green)" role="img" aria-label={TEXTS.passed} />
              ) : (
                <IconX size={16} color="var(--red)" role="img" aria-label="Failed" />
              )}
              <Group justify="space-between" gap="xs" wrap="nowrap" align="baseline">
                <div>
                  <b>{labelOf(one)}</b>{' '}
                  <Text span size="sm" c={one.ok ? 'dimmed' : 'var(--red-text)'}>
                    {one.message === checks[index - 1]?.message
                      ? 'Same error as above.'
                      : one.message}
                  </Text>
                </div>
                {one.took_ms !== null && <Took>{formatLatency(one.took_ms)}</Took>}
              </Group>
              {one.cause && one.message !== checks[index - 1]?.message && (
                <div className={classes['advice']}>
                  <dl>
                    <dt>Likely cause</dt>
                    <dd>{one.cause}</dd>
                    <dt>Fix</dt>
                    <dd>{one.fix}</dd>
                  </dl>
                  {actionsOf?.(one, labelOf(one))}
                </div>
              )}
            </li>
          ))}
          {waiting.map((label) => (
            <li key={label}>
              <Dot color="hollow" />
              <Group justify="space-between" gap="xs" fz="sm" c="dimmed">
                <span>{label}</span>
                <Took>not reached</Took>
              </Group>
            </li>
          ))}
        </ul>
      )}
    </Stack>
  )
}

function Took({ children }: { children: string }) {
  return (
    <Text span size="xs" c="dimmed" style={{ whiteSpace: 'nowrap' }}>
      {children}
    </Text>
  )
}
