import { Group, List, Loader, Stack, Text, ThemeIcon } from '@mantine/core'
import type { ConnectionCheck } from '@recordhub/protocol'
import { IconAlertTriangle, IconCheck } from '@tabler/icons-react'
import { TEXTS } from './texts.tsx'

const LABELS: Readonly<Record<string, string>> = {
  reachable: TEXTS.reachable,
  ping: TEXTS.ping,
  manifest: TEXTS.manifest,
  search: TEXTS.search,
}
const RECORDS = 'records/'

/** The checks of a connection, each as soon as it has finished; for a failed one, the likely cause and the fix. */
export function CheckList({
  checks,
  isRunning,
  nameOf = (recordType) => recordType,
}: {
  checks: readonly ConnectionCheck[]
  isRunning: boolean
  /** The display name of a module. */
  nameOf?: (recordType: string) => string
}) {
  const labelOf = ({ check }: ConnectionCheck) =>
    check.startsWith(RECORDS)
      ? TEXTS.recordsOf(nameOf(check.slice(RECORDS.length)))
      : (LABELS[check] ?? check)
  return (
    <Stack gap="xs" aria-live="polite" aria-busy={isRunning}>
      <List
        spacing="sm"
        listStyleType="none"
        aria-label={TEXTS.checks}
        styles={{ itemWrapper: { alignItems: 'flex-start' } }}
      >
        {checks.map((one, index) => (
          <List.Item key={one.check} icon={<CheckIcon ok={one.ok} />}>
            <Text size="sm" fw={600}>
              {labelOf(one)}
            </Text>
            {one.message === checks[index - 1]?.message ? (
              <Text size="sm">{TEXTS.sameErrorAsAbove}</Text>
            ) : (
              <>
                <Text size="sm">{one.message}</Text>
                {one.advice && (
                  <Text size="sm" c="dimmed">
                    {one.advice}
                  </Text>
                )}
              </>
            )}
          </List.Item>
        ))}
      </List>
      {isRunning && (
        <Group gap="xs">
          <Loader size={18} aria-hidden />
          <Text size="sm" c="dimmed">
            {TEXTS.checking}
          </Text>
        </Group>
      )}
    </Stack>
  )
}

function CheckIcon({ ok }: { ok: boolean }) {
  return (
    <ThemeIcon
      size={22}
      radius="xl"
      variant="light"
      color={ok ? 'green' : 'red'}
      role="img"
      aria-label={ok ? TEXTS.passed : TEXTS.failed}
    >
      {ok ? <IconCheck size={14} aria-hidden /> : <IconAlertTriangle size={14} aria-hidden />}
    </ThemeIcon>
  )
}
