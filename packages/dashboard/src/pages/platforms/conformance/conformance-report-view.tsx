import { Alert, Button, Group, Loader, Stack, Text } from '@mantine/core'
import type { ConformanceReport } from '@recordhub/protocol'
import { IconDownload } from '@tabler/icons-react'
import { ErrorNotice } from '../../../components/error-notice.tsx'
import { downloadText } from '../../../lib/download.ts'
import { formatCount, formatNumber } from '../../../lib/format.ts'
import type { Conformance } from './conformance-state.ts'
import { EndpointFindings } from './endpoint-findings.tsx'

export function ConformanceReportView({
  state: { endpoints, progress, answer },
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
      {answer && <Verdict report={answer.report} />}
      {isRunning && (
        <Group gap="xs" role="status">
          <Loader size={18} aria-hidden />
          <Text size="sm" c="dimmed">
            {endpoints.at(-1)?.title ?? 'Connection'}
            {progress === null ? '…' : `: ${formatNumber(progress)} records read…`}
          </Text>
        </Group>
      )}
      <Stack gap="md" aria-busy={isRunning}>
        {endpoints.map((checked) => (
          <EndpointFindings key={checked.endpoint} checked={checked} />
        ))}
      </Stack>
      {error !== null && <ErrorNotice error={error} onRetry={onCheck} />}
      {answer && (
        <Group>
          <Button variant="default" onClick={onCheck}>
            Check again
          </Button>
          <Button
            variant="default"
            leftSection={<IconDownload size={16} aria-hidden />}
            onClick={() => downloadText(nameOf(answer.report, 'html'), 'text/html', answer.html)}
          >
            Report as a page
          </Button>
          <Button
            variant="default"
            leftSection={<IconDownload size={16} aria-hidden />}
            onClick={() => {
              const text = JSON.stringify(answer.report, null, 2)
              downloadText(nameOf(answer.report, 'json'), 'application/json', text)
            }}
          >
            JSON
          </Button>
        </Group>
      )}
    </Stack>
  )
}

function Verdict({ report }: { report: ConformanceReport }) {
  const { success, reached, complete, errors, warnings, notes } = report
  const color = !success ? 'red' : warnings > 0 ? 'yellow' : 'green'
  const title = !reached
    ? 'The platform could not be reached'
    : success
      ? 'The platform conforms'
      : 'The platform does not conform yet'
  return (
    <Alert color={color} variant="light" title={title} role="status">
      <Text size="sm">
        {formatCount(errors, 'error')}, {formatCount(warnings, 'warning')},{' '}
        {formatCount(notes, 'note')}. Nothing was stored.
        {complete ? '' : ' Not all of it was looked at.'}
      </Text>
    </Alert>
  )
}

function nameOf({ platform_name, checked_at }: ConformanceReport, ending: string): string {
  const name = (platform_name ?? 'platform').replace(/[^\w-]+/g, '-')
  return `conformance-${name}-${checked_at.slice(0, 10)}.${ending}`
}
