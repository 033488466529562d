import { Alert, Button, Group, Loader, Stack, Text } from '@mantine/core'
import type { ConformanceReport } from '@recordhub/protocol'
import { IconDownload } from '@tabler/icons-react'
import { ErrorNotice } from '../../../components/error-notice.tsx'
import { formatCount, formatNumber } from '../../../lib/format.ts'
import type { Conformance } from './conformance-state.ts'
import { EndpointFindings } from './endpoint-findings.tsx'

export function ConformanceReportView({
  state: { endpoints, progress, result },
  isRunning,
  error,
  onCheck,
}: {
  state: Conformance
  isRunning: boolean
  error: unknown
  onCheck: () => void
}) {
  return (
    <Stack>
      {result && <Summary report={result.report} />}
      {isRunning && (
        <Group gap="xs" role="status">
          <Loader size={18} aria-hidden />
          <Text size="sm" c="dimmed">
            {endpoints.at(-1)?.title ?? 'Connection'}
            {progress === null ? '…' : `: ${formatNumber(progress)} records checked…`}
          </Text>
        </Group>
      )}
      <Stack gap="md" aria-busy={isRunning}>
        {endpoints.map((checked) => (
          <EndpointFindings key={checked.endpoint} checked={checked} />
        ))}
      </Stack>
      {error !== null && <ErrorNotice error={error} onRetry={onCheck} />}
      {result && (
        <Group>
          <Button variant="default" onClick={onCheck}>
            Check again
          </Button>
          <Button
            variant="default"
            leftSection={<IconDownload size={16} aria-hidden />}
            onClick={() => downloadText(nameOf(result.report, 'html'), 'text/html', result.html)}
          >
            Download HTML
          </Button>
          <Button
            variant="default"
            leftSection={<IconDownload size={16} aria-hidden />}
            onClick={() => {
              const text = JSON.stringify(result.report, null, 2)
              downloadText(nameOf(result.report, 'json'), 'application/json', text)
            }}
          >
            Download JSON
          </Button>
        </Group>
      )}
    </Stack>
  )
}

function Summary({ report }: { report: ConformanceReport }) {
  const { success, reached, complete, errors, warnings, notes } = report
  const color = !success ? 'red' : warnings > 0 ? 'yellow' : 'green'
  const title = !reached
    ? 'Could not reach the platform'
    : success
      ? 'The platform conforms to the specification'
      : 'The platform does not conform to the specification'
  return (
    <Alert color={color} variant="light" title={title} role="status">
      <Text size="sm">
        {formatCount(errors, 'error')}, {formatCount(warnings, 'warning')},{' '}
        {formatCount(notes, 'note')}. Nothing was saved.{!complete && ' The check is incomplete.'}
      </Text>
    </Alert>
  )
}

function nameOf({ platform_name, checked_at }: ConformanceReport, ending: string): string {
  const name = (platform_name ?? 'platform').replace(/[^\w-]+/g, '-')
  return `conformance-${name}-${checked_at.slice(0, 10)}.${ending}`
}

/** Has the browser save a text as a file. */
function downloadText(name: string, type: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type }))
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  // The browser has started the download by then.
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
}
