import { Code, Group, Paper, Stack, Text, ThemeIcon, Title } from '@mantine/core'
import type { CheckedEndpoint, Finding, FindingExample } from '@recordhub/protocol'
import { IconAlertTriangle, IconCheck, IconInfoCircle, IconX } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { PageLink } from '../../../components/page-link.tsx'
import { formatCount, formatDuration } from '../../../lib/format.ts'
import { changeUrlState, type UrlChanges } from '../../../lib/url-state.ts'
import { TEXTS } from '../../../texts.ts'
import { headingId } from '../../guide/split-guide.ts'

const STYLES = {
  error: { color: 'red', icon: IconX, label: 'Error' },
  warning: { color: 'yellow', icon: IconAlertTriangle, label: 'Warning' },
  note: { color: 'blue', icon: IconInfoCircle, label: 'Note' },
  passed: { color: 'green', icon: IconCheck, label: TEXTS.passed },
} as const

/** The findings and the passed rules of one endpoint. */
export function EndpointFindings({ checked }: { checked: CheckedEndpoint }) {
  const { title, records, took_ms, findings, passed } = checked
  const figures = [
    records === null ? '' : formatCount(records, 'record'),
    took_ms === null ? '' : took_ms < 1000 ? `${took_ms} ms` : formatDuration(took_ms),
  ].filter((figure) => figure !== '')
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
  const details = [
    element === null ? '' : `no. ${element}`,
    reference === null ? '' : `(${reference})`,
    found,
  ]
  return details.filter((detail) => detail !== '').join(' ')
}
