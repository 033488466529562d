import {
  Alert,
  Button,
  Code,
  Group,
  Loader,
  Paper,
  Stack,
  Text,
  ThemeIcon,
  Title,
} from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type {
  CheckedEndpoint,
  ConformanceLine,
  ConformanceReport,
  Finding,
  FindingExample,
} from '@recordhub/protocol'
import {
  IconAlertTriangle,
  IconCheck,
  IconClipboardCheck,
  IconDownload,
  IconInfoCircle,
  IconX,
} from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { Dialog } from '../../../components/dialog.tsx'
import { ErrorNotice } from '../../../components/error-notice.tsx'
import { PageLink } from '../../../components/page-link.tsx'
import { formatCount, formatLatency, formatNumber } from '../../../lib/format.ts'
import { saveFile } from '../../../lib/save-file.ts'
import { changeUrlState, type UrlChanges } from '../../../lib/url-state.ts'
import { TEXTS } from '../../../texts.ts'
import { headingId } from '../../guide/split-guide.ts'
import { useHubLines } from '../use-hub-lines.ts'
import { applyLine, type Conformance, INITIAL } from './conformance-state.ts'

type Check = { path: string; body: unknown; title: string }

/** Starts a conformance check of a platform and shows its findings as they arrive. */
export function ConformanceButton(check: Check) {
  const { start, dialog } = useConformanceCheck(check)
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconClipboardCheck size={16} aria-hidden />}
        onClick={start}
      >
        {TEXTS.checkConformance}
      </Button>
      {dialog}
    </>
  )
}

/** @returns the dialog apart, because a menu hides what is in it when it closes. */
export function useConformanceCheck({ path, body, title }: Check) {
  const [isOpen, { open, close }] = useDisclosure(false)
  const conformance = useHubLines<typeof INITIAL, ConformanceLine>(INITIAL, applyLine)
  const check = () => void conformance.run(path, body)
  const dialog = (
    <Dialog
      opened={isOpen}
      onClose={() => {
        close()
        conformance.clear()
      }}
      title={title}
      size="xl"
    >
      <ConformanceReportView {...conformance} onCheck={check} />
    </Dialog>
  )
  const start = () => {
    open()
    check()
  }
  return { start, dialog }
}

const STYLES = {
  error: { color: 'red', icon: IconX, label: 'Error' },
  warning: { color: 'yellow', icon: IconAlertTriangle, label: 'Warning' },
  note: { color: 'blue', icon: IconInfoCircle, label: 'Note' },
  passed: { color: 'green', icon: IconCheck, label: TEXTS.passed },
} as const

/** The findings and the passed rules of one endpoint. */
function EndpointFindings({ title, records, took_ms, findings, passed }: CheckedEndpoint) {
  const figures = [
    records !== null && formatCount(records, 'record'),
    took_ms !== null && formatLatency(took_ms),
  ].filter(Boolean)
  return (
    <section aria-label={title}>
      <Group gap="xs" align="baseline" mb={6}>
        <Title order={3} fz="md">
          {title}
        </Title>
        <Text size="sm" c="dimmed">
          {figures.join(', ')}
        </Text>
      </Group>
      <Stack gap={6}>
        {findings.map((finding) => (
          <FindingCard key={finding.rule + finding.field + finding.message} finding={finding} />
        ))}
        {passed.map((rule) => (
          <Line key={rule} result="passed">
            <Text size="sm">{rule}</Text>
          </Line>
        ))}
      </Stack>
    </section>
  )
}

function FindingCard({ finding }: { finding: Finding }) {
  const { severity, message, advice, rule, section, count, examples } = finding
  return (
    <Paper withBorder p="xs" radius="sm">
      <Line result={severity}>
        <Text size="sm" fw={600} style={{ overflowWrap: 'anywhere' }}>
          {message}
        </Text>
        {count > 1 && (
          <Text size="sm" c="dimmed">
            {formatCount(count, 'time')}
          </Text>
        )}
        {examples.length > 0 && (
          <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
            {examples.map(exampleLabel).join('; ')}
          </Text>
        )}
        {advice !== '' && <Text size="sm">{advice}</Text>}
        <Text size="xs" c="dimmed" mt={2}>
          <Code fz="xs">{rule}</Code> · Integration guide:{' '}
          <PageLink
            to="/dashboard/guide"
            search={(before: UrlChanges) => changeUrlState(before, { section: headingId(section) })}
            inherit
            underline="always"
          >
            {section}
          </PageLink>
        </Text>
      </Line>
    </Paper>
  )
}

function Line({ result, children }: { result: keyof typeof STYLES; children: ReactNode }) {
  const { color, icon: Icon, label } = STYLES[result]
  return (
    <Group gap="xs" align="flex-start" wrap="nowrap">
      <ThemeIcon size={20} radius="xl" variant="light" color={color} role="img" aria-label={label}>
        <Icon size={13} aria-hidden />
      </ThemeIcon>
      <div style={{ minWidth: 0 }}>{children}</div>
    </Group>
  )
}

function exampleLabel({ element, reference, found }: FindingExample): string {
  const details = [element !== null && `no. ${element}`, reference && `(${reference})`, found]
  return details.filter(Boolean).join(' ')
}

function ConformanceReportView(props: {
  state: Conformance
  isRunning: boolean
  error: unknown
  onCheck: () => void
}) {
  const { state, isRunning, error, onCheck } = props
  const { endpoints, progress, result } = state
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
          <EndpointFindings key={checked.endpoint} {...checked} />
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
            onClick={() => saveFile(nameOf(result.report, 'html'), 'text/html', result.html)}
          >
            Download HTML
          </Button>
          <Button
            variant="default"
            leftSection={<IconDownload size={16} aria-hidden />}
            onClick={() => {
              const text = JSON.stringify(result.report, null, 2)
              saveFile(nameOf(result.report, 'json'), 'application/json', text)
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
    <Alert color={color} title={title} role="status">
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
