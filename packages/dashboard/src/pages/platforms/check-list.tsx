import { Group, List, Loader, Stack, Text, ThemeIcon } from '@mantine/core'
import type { ConnectionCheck } from '@recordhub/protocol'
import { IconAlertTriangle, IconCheck } from '@tabler/icons-react'

const LABELS: Readonly<Record<string, string>> = {
  reachable: 'Reachable',
  ping: 'Ping',
  manifest: 'Manifest',
  search: 'Search',
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
      ? `Records of ${nameOf(check.slice(RECORDS.length))}`
      : (LABELS[check] ?? check)
  return (
    <Stack gap="xs" aria-live="polite" aria-busy={isRunning}>
      <List
        spacing="sm"
        listStyleType="none"
        aria-label="Checks"
        styles={{ itemWrapper: { alignItems: 'flex-start' } }}
      >
        {checks.map((one, index) => (
          <List.Item key={one.check} icon={<CheckIcon ok={one.ok} />}>
            <Text size="sm" fw={600}>
              {labelOf(one)}
            </Text>
            {one.message === checks[index - 1]?.message ? (
              <Text size="sm">Same error as above.</Text>
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
            Checking…
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
      aria-label={ok ? 'Passed' : 'Failed'}
    >
      {ok ? <IconCheck size={14} aria-hidden /> : <IconAlertTriangle size={14} aria-hidden />}
    </ThemeIcon>
  )
}
